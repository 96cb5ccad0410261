// From logs to a weighed payload: what the program and the Python module do.
// Threads: any number of threads may call, each with objects of its own; what is const may be
// shared.
#pragma once

#include <optional>
#include <vector>

#include "heft/base/progress.hpp"
#include "heft/payload/payload.hpp"
#include "heft/payload/sensor_on_link.hpp"

#pragma GCC visibility push(default)
namespace heft {

struct PayloadRequest {
  std::vector<Log> logs;                ///< of one payload; each has a bias of its own
  std::optional<SensorOnLink> on_link;  ///< motion comes from a robot's coordinates; else it is in
                                        ///< the logs
  PayloadOptions options;
  PayloadShape shape;
  std::vector<PayloadMethod> methods = {PayloadMethod::automatic};
  Progress progress = {};
};

/// Errors: those of read_wrench_log, concatenated and weigh_payload; stopped().
Result<PayloadResult> weigh_logs(const PayloadRequest& request);

/// The same in two steps, between which somebody may solve for many (weigh_batch).
struct ReadPayload {
  WrenchSamples samples;  ///< of all logs, a known tool taken off
  std::vector<PayloadLog> logs;
};
Result<ReadPayload> read_logs(const PayloadRequest& request);
/// `by_auto`: the answer of method auto to these samples, if it is known.
Result<PayloadResult> weigh_read(const PayloadRequest& request, ReadPayload read,
                                 const PayloadAnswer* by_auto = nullptr);

}  // namespace heft
#pragma GCC visibility pop
