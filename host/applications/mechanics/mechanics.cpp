#include "heft/mechanics/mechanics.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/parallel_for.hpp"
#include "mechanics/row_writer.hpp"

namespace heft {

namespace {

constexpr std::int64_t kStatesOfTask = 256, kTasksBetweenReports = 64;
constexpr std::int64_t kCached = 8 << 20;  ///< bytes of rows that go through the caches

}  // namespace

Result<Mechanics> Mechanics::make(const Robot& robot) {
  HEFT_TRY(plan, make_regressor_plan(robot, default_channels(robot), {}));
  return Mechanics(plan);
}

Mechanics::Mechanics(PlanPtr plan)
    : plan_(std::move(plan)), tables_(std::make_shared<const MechanicsTables>(*plan_)) {}

std::vector<std::string> Mechanics::state_names() const {
  std::vector<std::string> names;
  const auto add = [&](const char* prefix, std::initializer_list<const char*> of_base) {
    if (has_floating_base())
      for (const char* name : of_base) names.push_back(name);
    for (const Coordinate& coordinate : plan_->robot.coordinates)
      names.push_back(prefix + coordinate.name);
  };
  add("q_", {"base_x", "base_y", "base_z", "base_qx", "base_qy", "base_qz", "base_qw"});
  add("qd_", {"base_vx", "base_vy", "base_vz", "base_wx", "base_wy", "base_wz"});
  add("qdd_", {"base_vdx", "base_vdy", "base_vdz", "base_wdx", "base_wdy", "base_wdz"});
  return names;
}

Result<Done> Mechanics::put_rows(MechanicsRow kind, const States& states, std::int64_t begin,
                                 std::int64_t count, double* rows) const {
  return mechanics::RowWriter(*plan_, *tables_, kind).put(states, begin, count, rows);
}

Result<Done> Mechanics::put_all_rows(MechanicsRow kind, const States& states, double* rows,
                                     int num_threads, const Progress& progress) const {
  const std::int64_t num_states = states.q.num_rows,
                     num_tasks = (num_states + kStatesOfTask - 1) / kStatesOfTask;
  const std::ptrdiff_t size_of_state =
      static_cast<std::ptrdiff_t>(num_rows(kind)) * num_parameters();
  const auto cache =
      static_cast<std::int64_t>(sizeof(double)) * num_states * size_of_state > kCached
          ? mechanics::Cache::passed_by
          : mechanics::Cache::filled;
  std::vector<std::unique_ptr<mechanics::RowWriter>> writers;  // one a thread
  do writers.push_back(std::make_unique<mechanics::RowWriter>(*plan_, *tables_, kind, cache));
  while (static_cast<std::int64_t>(writers.size()) <
         std::min<std::int64_t>(num_threads, num_tasks));
  for (std::int64_t first = 0; first < num_tasks; first += kTasksBetweenReports) {
    HEFT_CHECK(report_progress(progress, "rows",
                               static_cast<double>(first) / static_cast<double>(num_tasks)));
    std::vector<Result<Done>> outcomes(
        static_cast<std::size_t>(std::min(kTasksBetweenReports, num_tasks - first)), Done{});
    const auto put = [&](std::int64_t task, int thread) {
      const std::int64_t begin = (first + task) * kStatesOfTask;
      outcomes[static_cast<std::size_t>(task)] = writers[static_cast<std::size_t>(thread)]->put(
          states, begin, std::min(kStatesOfTask, num_states - begin), rows + begin * size_of_state);
    };
    parallel_for(static_cast<std::int64_t>(outcomes.size()), static_cast<int>(writers.size()), put);
    for (const Result<Done>& outcome : outcomes) HEFT_CHECK(outcome);
  }
  return Done{};
}

Result<Eigen::MatrixXd> Mechanics::rows(MechanicsRow kind, const Eigen::VectorXd& state) const {
  if (state.size() != num_state_numbers())
    return Error{"state",
                 fmt::format("has {} numbers instead of {}", state.size(), num_state_numbers()),
                 "give q, qd and qdd"};
  const double* const qd = state.data() + num_positions();
  const States one{{state.data(), 1, num_positions(), 0, 1},
                   {qd, 1, num_velocities(), 0, 1},
                   {qd + num_velocities(), 1, num_velocities(), 0, 1}};
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> result(num_rows(kind),
                                                                                num_parameters());
  HEFT_CHECK(put_rows(kind, one, 0, 1, result.data()));
  return Eigen::MatrixXd(result);
}

}  // namespace heft
