// Forecasts a run from the manifest, the sizes of the logs and the contents of the store.
#include "run_state.hpp"

#include <algorithm>
#include <limits>

#include "base/parallel_for.hpp"
#include "costs.hpp"
#include "read_together.hpp"

namespace heft {

namespace {

using Kind = FleetStore::Kind;

constexpr std::size_t kMaxSetupsToJudge = 1000;

}  // namespace

Result<FleetForecast> FleetRun::forecast() {
  State& state = *state_;
  FleetForecast forecast{.num_robots = state.plan.robots.size()};
  state.find_populations(false, {});
  double map_s = 0, solve_s = 0, robot_mb = 0;
  std::set<std::pair<std::string, std::string>> models;
  for (const FleetRobot& robot : state.plan.robots) models.emplace(robot.robot, robot.config);
  const bool judges = models.size() <= kMaxSetupsToJudge;
  for (const FleetRobot& robot : state.plan.robots) {
    forecast.num_training += robot.training.size();
    forecast.num_validation += robot.validation.size();
    if (!robot.has_answer || !robot.errors.empty()) ++forecast.num_failing;
    if (!robot.has_answer) continue;
    std::vector<std::string> digests;
    bool is_known = true;
    double bytes = 0;
    std::size_t num_new = 0;
    std::shared_ptr<const RobotSetup> setup;
    if (judges) {
      auto made = state.setups.of(robot.robot, robot.config);
      if (!made) {
        if (state.ends_with_device(made.error())) return *state.fault;
        if (robot.errors.empty()) ++forecast.num_failing;
        continue;
      }
      setup = *made;
      robot_mb = std::max(robot_mb, working_mb(*setup, robot.training.size()));
    }
    for (const auto* rows : {&robot.training, &robot.validation})
      for (const std::size_t index : *rows) {
        const FleetRow& row = state.plan.manifest.rows[index];
        const auto size = static_cast<double>(state.plan.stamps[index].size);
        bytes += size;
        const auto digest = state.digests.of(row.log, false);
        const bool knows = digest && !digest->empty();
        if (!knows) ++forecast.num_unknown, is_known = false;
        if (row.validates) continue;
        if (knows && setup && setup->by_leaves &&
            state.store.has(Kind::leaf, setup->leaf_key(*digest, row)))
          continue;
        ++num_new;
        forecast.num_bytes += size;
        map_s += kSecondsPerLog + size / kMapBytesPerSecond;
      }
    forecast.num_leaves += num_new;
    if (is_known && num_new == 0 && setup && state.known(robot).state == RobotState::done) continue;
    ++forecast.num_answers;
    solve_s += kSecondsPerRobot + bytes / kSolveBytesPerSecond;
  }
  forecast.jobs = state.pool.num_threads();
  const int cores = threads_for(0);
  forecast.seconds = (map_s + solve_s) / std::min(forecast.jobs, cores);
  // workers that wait for a device hold the logs of a robot
  const auto num_tasks = static_cast<int>(
      std::min<std::size_t>(std::numeric_limits<int>::max(), state.plan.manifest.rows.size()));
  const int num_waiting =
      state.wants_device() ? std::min(state.num_workers_on_device(), num_tasks) - forecast.jobs : 0;
  forecast.memory_mb = kProcess_mb + forecast.jobs * robot_mb +
                       std::max(0, num_waiting) * kTogether_mb +
                       1e-3 * static_cast<double>(state.plan.manifest.rows.size());
  forecast.disk_mb =
      kLeaf_mb * static_cast<double>(forecast.num_leaves) +
      (state.options.writes_pages ? kPage_mb : 0.1) * static_cast<double>(forecast.num_answers);
  return forecast;
}

}  // namespace heft
