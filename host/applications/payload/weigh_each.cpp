#include "weigh_each.hpp"

#include <utility>

namespace heft::payload {

Result<PayloadResult> weigh_each(const std::vector<StretchTimes>& times, const WeighStretch& weigh,
                                 const WeighAdded& weigh_added) {
  if (times.empty()) return Error{"payload.changes", "no stretches of time", "name a log"};
  PayloadResult last;
  std::optional<KnownTool> first;
  std::vector<PayloadStretch> stretches;
  std::vector<PayloadDoubt> doubts;
  for (std::size_t k = 0; k < times.size(); ++k) {
    const std::string words = times[k].words(k);
    auto result = weigh(k);
    if (!result && result.error().is_stop) return result.error();
    if (!result)
      return Error{"payload.changes", words + ": " + result.error().what, result.error().remedy};
    PayloadStretch stretch{times[k].from, times[k].to, result->answer(),
                           result->mass,  result->com, {}};
    if (first) stretch.added = weigh_added(k, *first);
    if (k == 0) first = result->as_tool;
    stretches.push_back(std::move(stretch));
    const bool is_answer = k + 1 == times.size();
    for (PayloadDoubt doubt : result->doubts) {
      if (doubt.id == "no-payload" && !is_answer) continue;  // the sensor is empty before a grasp
      doubt.what = words + ": " + doubt.what;
      doubts.push_back(std::move(doubt));
    }
    last = std::move(*result);
  }
  last.stretches = std::move(stretches);
  last.doubts = std::move(doubts);
  return last;
}

}  // namespace heft::payload
