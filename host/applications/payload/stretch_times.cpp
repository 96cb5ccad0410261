#include "payload/stretch_times.hpp"

#include "base/number_text.hpp"

namespace heft {

std::string StretchTimes::words(std::size_t number) const {
  return "stretch " + std::to_string(number + 1) + ", from " + number_text(from, 4) + " to " +
         number_text(to, 4) + " s";
}

Result<std::vector<StretchTimes>> stretches_between(double begin, double end,
                                                    const std::vector<double>& changes,
                                                    double grasping) {
  std::vector<StretchTimes> stretches;
  for (std::size_t k = 0; k <= changes.size(); ++k) {
    const bool is_first = k == 0, is_last = k == changes.size();
    StretchTimes times{.from = is_first ? begin : changes[k - 1], .to = is_last ? end : changes[k]};
    if (!(times.to > times.from) || times.from < begin || times.to > end)
      return Error{"payload.changes",
                   number_text(is_last ? times.from : times.to, 6) + " s is not between " +
                       number_text(begin, 6) + " and " + number_text(end, 6) +
                       " s, the range of the log, or is not in ascending order",
                   "write times of the log in ascending order, or auto"};
    times.begin = is_first ? begin : times.from + grasping;
    times.end = is_last ? end : times.to - grasping;
    stretches.push_back(times);
  }
  return stretches;
}

}  // namespace heft
