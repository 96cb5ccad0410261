#include "heft/payload/weigh_logs.hpp"

#include "checks/changes.hpp"
#include "checks/channel_checks.hpp"
#include "checks/readings.hpp"
#include "samples/delay.hpp"
#include "stretches.hpp"

namespace heft {

namespace {

/// Motion and wrench of the same times.
Result<WrenchSamples> on_one_clock(const WrenchSamples& samples, const PayloadOptions& options,
                                   PayloadLog& about) {
  double delay = options.sensor.wrench_delay_s;
  if (options.sensor.finds_delay)
    if (const auto found = payload::estimate_delay(samples, options)) delay = found->delay;
  about.wrench_delay_s = delay;
  return payload::advanced(samples, delay);
}

/// All logs, a known tool taken off.
Result<WrenchSamples> read_all(const PayloadRequest& request, const SensorOptions& sensor,
                               std::vector<PayloadLog>& logs) {
  logs.clear();
  std::vector<WrenchSamples> samples;
  for (const Log& log : request.logs) {
    const double share = static_cast<double>(samples.size()) / static_cast<double>(request.logs.size());
    HEFT_CHECK(report_progress(request.progress, "reading " + log.name(), share));
    PayloadLog& about = logs.emplace_back();
    HEFT_TRY(read, request.on_link ? read_wrench_log(log, *request.on_link, sensor, about)
                                   : read_wrench_log(log, sensor, about));
    HEFT_TRY(timed, on_one_clock(read, request.options, about));
    samples.push_back(std::move(timed));
  }
  HEFT_TRY(all, concatenated(samples));
  return sensor.tool ? without_tool(std::move(all), *sensor.tool) : std::move(all);
}

/// One body, or one a stretch.
Result<PayloadResult> weigh(const WrenchSamples& samples, const PayloadRequest& request,
                            const PayloadAnswer* by_auto) {
  const PayloadOptions& options = request.options;
  std::vector<double> times = options.changes;
  if (request.logs.size() > 1 && (options.finds_changes || !times.empty()))
    return Error{"payload.changes", "is for one log", "weigh the logs in several runs"};
  if (options.finds_changes)
    for (const payload::Change& change : payload::changes_in(samples, options)) times.push_back(change.time);
  if (times.empty())
    return weigh_payload(samples, options, request.shape, request.methods, request.progress, by_auto);
  return payload::weigh_stretches(samples, times, options, request.shape, request.methods, request.progress);
}

/// Rows without a number drop out; many of them are worth a word.
void doubt_missing(PayloadLog& log) {
  constexpr double kWorthAWord = 0.01;
  if (static_cast<double>(log.num_dropped) <= kWorthAWord * static_cast<double>(log.num_rows)) return;
  log.doubts.push_back({"rows-missing", false,
                        std::to_string(log.num_dropped) + " of " + std::to_string(log.num_rows) +
                            " rows lack a number or repeat a time: they are left out, and stretches between "
                            "them weighed together",
                        "look at why the driver lost them", log.path});
}

bool is_unexplained(const std::vector<PayloadDoubt>& doubts) {
  for (const PayloadDoubt& doubt : doubts)
    if (doubt.id == "sensor-turned" || (doubt.serious && doubt.id.starts_with("unexplained"))) return true;
  return false;
}

}  // namespace

Result<ReadPayload> read_logs(const PayloadRequest& request) {
  if (const auto& tool = request.options.sensor.tool; tool && !tool->link.empty())
    return Error{"payload.known_tool",
                 "was calibrated by joint torques, in the frame of " + tool->link + ", not in the sensor's",
                 "calibrate it on the sensor: heft payload --log .. --zero"};
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
    const auto better =
        payload::better_reading(read.samples, request.options, [&](const SensorOptions& sensor) {
          std::vector<PayloadLog> ignored;
          return read_all(request, sensor, ignored);
        });
    if (better && !result) return Error{result.error().where, better->what, better->remedy};
    if (better) result->doubts.insert(result->doubts.begin(), *better);
  }
  if (!result) return result.error();
  // a log says it of the wrench as it has it: one that is turned or less a tool does not stand still at the sensor's limit
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
