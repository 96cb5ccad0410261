#include "heft/payload/payload.hpp"

#include <algorithm>

#include "checks/better_reading.hpp"
#include "checks/channel_checks.hpp"
#include "checks/force_and_motion.hpp"
#include "checks/offset_history.hpp"
#include "samples/delay.hpp"
#include "weigh_stretches.hpp"

namespace heft {

namespace {

/// Motion and wrench at common times.
Result<WrenchSamples> on_one_clock(const WrenchSamples& samples, const PayloadOptions& options,
                                   PayloadLog& about) {
  double delay = options.sensor.wrench_delay_s;
  if (options.sensor.finds_delay)
    if (const auto found = payload::estimate_delay(samples, options)) delay = found->delay;
  about.wrench_delay_s = delay;
  return payload::advanced(samples, delay);
}

/// Splits segments where the offset of the sensor changes.
Result<WrenchSamples> with_offsets(const WrenchSamples& samples, const PayloadOptions& options) {
  std::vector<double> times = options.bias_changes;
  if (options.finds_bias_changes)
    for (const payload::OffsetJump& jump : payload::jumps_in(samples, options))
      times.push_back(jump.time);
  return payload::split_at_jumps(samples, times);
}

/// Reads all logs and subtracts a known tool.
Result<WrenchSamples> read_all(const PayloadRequest& request, const SensorOptions& sensor,
                               std::vector<PayloadLog>& logs) {
  logs.clear();
  std::vector<WrenchSamples> samples;
  for (const Log& log : request.logs) {
    const double share =
        static_cast<double>(samples.size()) / static_cast<double>(request.logs.size());
    HEFT_CHECK(report_progress(request.progress, "reading " + log.name(), share));
    PayloadLog& about = logs.emplace_back();
    HEFT_TRY(read, request.on_link ? read_wrench_log(log, *request.on_link, sensor, about)
                                   : read_wrench_log(log, sensor, about));
    HEFT_TRY(timed, on_one_clock(read, request.options, about));
    HEFT_TRY(parts, with_offsets(timed, request.options));
    samples.push_back(std::move(parts));
  }
  HEFT_TRY(all, concatenated(samples));
  if (request.options.bias == BiasKind::drift) all = payload::with_drift(all, request.options);
  return sensor.tool ? without_tool(std::move(all), *sensor.tool) : std::move(all);
}

Result<Done> check_bias_changes(const PayloadRequest& request) {
  const PayloadOptions& options = request.options;
  const bool has_body_changes = options.finds_changes || !options.changes.empty();
  const bool has_bias_changes = options.finds_bias_changes || !options.bias_changes.empty();
  if (has_bias_changes && options.bias != BiasKind::constant)
    return Error{"payload.bias_changes",
                 std::string("needs payload.bias: constant, not ") + enum_name(options.bias),
                 "remove one of the two"};
  if (!options.bias_changes.empty() && request.logs.size() > 1)
    return Error{"payload.bias_changes", "supports only one log",
                 "set payload.bias_changes: auto, or weigh the logs in several runs"};
  if (has_body_changes && (has_bias_changes || options.bias == BiasKind::drift))
    return Error{"payload.changes",
                 "assumes one offset for all stretches, but this option lets it change or drift",
                 "cut the log where the body changes, and weigh the parts in separate runs"};
  if (options.is_calibration && options.bias == BiasKind::drift)
    return Error{"--zero", "calibrates a constant offset, but payload.bias: drift lets it drift",
                 "let the sensor warm up, and calibrate with payload.bias: constant"};
  return Done{};
}

/// Weighs one body, or one per stretch.
Result<PayloadResult> weigh(const WrenchSamples& samples, const PayloadRequest& request,
                            const PayloadAnswer* by_auto) {
  const PayloadOptions& options = request.options;
  std::vector<double> times = options.changes;
  if (request.logs.size() > 1 && (options.finds_changes || !times.empty()))
    return Error{"payload.changes", "supports only one log", "weigh the logs in several runs"};
  if (options.finds_changes)
    for (const payload::Change& change : payload::history_of(samples, options).changes)
      times.push_back(change.time);
  if (times.empty())
    return weigh_payload(samples, options, request.shape, request.methods, request.progress,
                         by_auto);
  return payload::weigh_stretches(samples, times, options, request.shape, request.methods,
                                  request.progress);
}

/// Reports incomplete rows if many were dropped.
void doubt_missing(PayloadLog& log) {
  constexpr double kWorthAWord = 0.01;
  if (static_cast<double>(log.num_dropped) <= kWorthAWord * static_cast<double>(log.num_rows))
    return;
  log.doubts.push_back({"rows-missing", false,
                        std::to_string(log.num_dropped) + " of " + std::to_string(log.num_rows) +
                            " rows lack a number or repeat a time; they are left out, and the "
                            "stretches between them are weighed together",
                        "find out why the driver lost them", log.path});
}

/// Drops doubts that follow from a misread log.
void drop_consequences(const std::string& reading, std::vector<PayloadDoubt>& doubts) {
  std::erase_if(doubts, [&](const PayloadDoubt& doubt) {
    for (const char* id :
         {"no-payload", "sensor-turned", "torque-unit", "far-from-link", "unexplained-force",
          "unexplained-torque", "offset-jumps", "offset-drifted"})
      if (doubt.id == id) return true;
    return reading == "orientation-transposed" &&
           (doubt.id == "angular-velocity" || doubt.id == "frames-differ");
  });
}

/// Joins the samples of all logs.
LoggedRotation rotations_of(const std::vector<PayloadLog>& logs) {
  LoggedRotation most = LoggedRotation::none;
  for (const PayloadLog& log : logs) most = std::max(most, log.rotation);
  return most;
}

/// Whether force and motion indicate a body of negative mass.
bool is_negative(const WrenchSamples& samples, const PayloadOptions& options) {
  return !(payload::mass_of(payload::centered(samples, options.bias)) > 0);
}

bool is_unexplained(const std::vector<PayloadDoubt>& doubts) {
  for (const PayloadDoubt& doubt : doubts)
    if (doubt.id == "sensor-turned" || doubt.id == "no-payload" ||
        (doubt.serious && doubt.id.starts_with("unexplained")))
      return true;
  return false;
}

}  // namespace

Result<ReadPayload> read_logs(const PayloadRequest& request) {
  if (const auto& tool = request.options.sensor.tool; tool && !tool->link.empty())
    return Error{"payload.known_tool",
                 "was calibrated from joint torques in the frame of " + tool->link +
                     ", not in the sensor's frame",
                 "calibrate it on the sensor: heft payload --log .. --zero"};
  HEFT_CHECK(check_bias_changes(request));
  ReadPayload read;
  HEFT_TRY(all, read_all(request, request.options.sensor, read.logs));
  read.samples = std::move(all);
  return read;
}

Result<PayloadResult> weigh_read(const PayloadRequest& request, ReadPayload read,
                                 const PayloadAnswer* by_auto) {
  auto result = weigh(read.samples, request, by_auto);
  if (!result && result.error().is_stop) return result.error();
  if (!result || is_unexplained(result->doubts)) {
    const auto better = payload::better_reading(
        read.samples, request.options, rotations_of(read.logs), [&](const SensorOptions& sensor) {
          std::vector<PayloadLog> ignored;
          return read_all(request, sensor, ignored);
        });
    if (better && (!result || is_negative(read.samples, request.options)))
      return Error{result ? "payload" : result.error().where, better->what, better->remedy};
    if (better) {
      drop_consequences(better->id, result->doubts);
      for (PayloadLog& log : read.logs) drop_consequences(better->id, log.doubts);
      result->doubts.insert(result->doubts.begin(), *better);
    }
  }
  if (!result) return result.error();
  // saturation shows only in the logged wrench: rotating it or subtracting a tool hides it
  std::erase_if(result->doubts, payload::is_about_a_channel);
  for (PayloadLog& log : read.logs) doubt_missing(log);
  for (const PayloadLog& log : read.logs)
    result->doubts.insert(result->doubts.begin(), log.doubts.begin(), log.doubts.end());
  result->logs = std::move(read.logs);
  return result;
}

Result<PayloadResult> weigh_logs(const PayloadRequest& request) {
  HEFT_TRY(read, read_logs(request));
  return weigh_read(request, std::move(read));
}

}  // namespace heft
