#include "subset_request.hpp"

#include <algorithm>
#include <utility>

#include "readers/first_rows.hpp"

namespace heft {

namespace {

constexpr std::int64_t kFewestRowsOfLog = 2000;

}  // namespace

IdentifyRequest subset_request(const IdentifyRequest& request, std::int64_t most_rows,
                               std::shared_ptr<Executor> executor) {
  IdentifyRequest part = request;
  part.executor = std::move(executor);
  part.gathering.weighting = {};
  part.gathering.conditioning.rows = "torque";
  const auto num_logs = std::ssize(request.training_logs);
  const auto num_read = std::clamp<std::int64_t>(num_logs, 1, most_rows / kFewestRowsOfLog);
  part.training_logs.clear();
  for (std::int64_t k = 0; k < std::min<std::int64_t>(num_logs, num_read); ++k) {
    const Log& log = request.training_logs[static_cast<std::size_t>(k * num_logs / num_read)];
    part.training_logs.push_back(first_rows(log, most_rows / num_read));
  }
  return part;
}

}  // namespace heft
