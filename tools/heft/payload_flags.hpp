// Flags of `heft payload`, and its modes: logs of one payload, a batch of payloads, a stream of
// samples, a plan of poses.
#pragma once

#include <string>
#include <vector>

#include "heft/executor/executor.hpp"
#include "heft/log/several_files.hpp"
#include "heft/payload/payload.hpp"
#include "payload_config/payload_on_robot.hpp"

namespace heft::tools {

struct PayloadFlags {
  std::vector<std::string> logs, methods = {"auto"}, accepted;
  std::vector<double> pose;
  std::string shape, config, out, batch, until, model, link, robot, sensor_link, known_tool,
      changes;
  BackendKind backend = BackendKind::cpu;  ///< solves a batch
  int threads = 1;
  int num_poses = 6;  ///< proposed by --plan
  bool follow = false, zero = false, plan = false, quiet = false;
  double every = 0.1;  ///< [s] of the stream between updates
};

inline constexpr int kOpenPayloadDoubt = 4;  ///< exit code of a result with an open serious doubt

/// Sensor, shape and robot from flags and configuration, read once.
struct PayloadInput {
  PayloadOptions options;
  std::optional<SensorOnLink> on_link;
  std::optional<CarryingRobot> on_robot;  ///< weighed by the torques of its joints
};

Result<PayloadInput> payload_input_of(const PayloadFlags& flags);
std::vector<Log> logs_of(const PayloadFlags& flags);
std::vector<PayloadMethod> payload_methods_of(const std::vector<std::string>& names);

/// Reads the logs, weighs the payload and accepts doubts.
Result<PayloadResult> weigh_and_accept(const PayloadFlags& flags, const PayloadInput& input,
                                       const PayloadShape& shape, const std::vector<Log>& logs,
                                       const Progress& progress = {});
/// The same for a payload that was read and solved together with others.
struct SolvedAhead {
  ReadPayload read;
  PayloadAnswer answer;
};
Result<PayloadResult> weigh_and_accept(const PayloadFlags& flags, const PayloadInput& input,
                                       const PayloadShape& shape, const std::vector<Log>& logs,
                                       SolvedAhead ahead);

/// Input files named by flags, besides logs and shapes, which no output may replace.
std::vector<std::string> payload_inputs_of(const PayloadFlags& flags);

/// 0, 3 without certificate, 4 with an open doubt.
int payload_exit_code(const PayloadResult& result);

/// --batch: weighs every row of the manifest; writes result.json for each and a table of all.
int run_payload_batch(const PayloadFlags& flags);

/// --plan: proposes the next poses at rest, in addition to those of the logs.
int run_payload_plan(const PayloadFlags& flags);

/// --follow: reads samples from standard input and prints one line of JSON per update; writes files
/// at the end if --out is given.
int run_payload_follow(const PayloadFlags& flags);

}  // namespace heft::tools
