#include "read_together.hpp"

#include <deque>
#include <utility>

#include "conditioning/log_wave.hpp"
#include "leaf.hpp"
#include "readers/kept_rows.hpp"
#include "windowed_log.hpp"

namespace heft {

std::string LogsInMemory::name_of(const FleetRow& row) {
  return row.log + "\n" + row.format + "\n" + window_text(row);
}

std::optional<LogInMemory> LogsInMemory::take(const FleetRow& row) {
  auto found = logs_.extract(name_of(row));
  if (found.empty()) return {};
  return std::move(found.mapped());
}

LogsInMemory read_together(const std::vector<FleetRow>& rows, const RobotSetup& robot,
                           RobotConditioner& device, const Progress& progress) {
  const Model& model = robot.setup.model;
  const GatherOptions& gathering = robot.gathering;
  const auto memory = std::make_shared<RowMemory>(kMaxTogether);
  struct Row {
    const FleetRow& row;
    Log log;
    DerivedSignals derived;
  };
  std::deque<Row> read;  // stay where they are
  ConditionedOnDevice counts;
  LogsInMemory logs;
  double may_keep = kMaxKept;
  {
    LogWave wave(device);
    for (const FleetRow& row : rows) {
      if (!report_progress(progress, "reading", 0)) return {};
      auto log = windowed_log(row, robot);
      if (!log) continue;
      Row& next = read.emplace_back(Row{row, with_kept_rows(*log, memory), {}});
      next.derived = model.derived_of(next.log.name());
      wave.add(next.log, {model.plan->robot, model.plan->channels, gathering.log,
                          gathering.conditioning, next.derived});
    }
    device.lend_core_once();
    const auto conditioned = wave.condition();
    device.keep_core();
    if (!conditioned) return {};
    for (std::size_t k = 0; k < read.size(); ++k) {
      if (!wave.why_on_host(k).empty()) continue;
      ConditionedLog samples;
      const auto keep = [&](int segment, const Samples& block) -> Result<Done> {
        samples.bytes += bytes_of(block);
        samples.blocks.push_back({segment, block});
        return Done{};
      };
      auto summary = wave.hand_on(k, keep);
      if (!summary) continue;
      ++counts.num_logs;
      samples.summary = *std::move(summary);
      may_keep -= samples.bytes;
      logs.put(read[k].row, {std::move(read[k].log), std::move(samples)});
    }
    counts.host_cpu_s = wave.host_cpu_s();
  }
  device.count(counts);
  if (may_keep < 0) return {};
  return logs;
}

}  // namespace heft
