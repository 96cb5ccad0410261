#include "body_rows.hpp"

#include <algorithm>

#include "gram_layout.hpp"
#include "model/regrouping.hpp"

namespace heft {

namespace {

using core::ColumnSet;
using core::ScrewKind;

/// Whether a channel is a pure force: that of a prismatic joint or a component of a sensor's force.
bool is_pure_force(const RegressorPlan& plan, const Channel& channel) {
  if (channel.coordinate < 0) return channel.angular.isZero(0);
  return std::none_of(plan.robot.bodies.begin(), plan.robot.bodies.end(), [&](const Body& body) {
    const bool turns = body.type == JointType::revolute || body.type == JointType::helical;
    return turns && body.coordinate == channel.coordinate;
  });
}

/// Properties of row r of body b, whose screws are sorted by row.
ScrewKind kind_of_row(const RegressorPlan& plan, int b, int r) {
  const core::BodyEntry& entry = plan.bodies[b];
  if (is_pure_force(plan, plan.channels[plan.rows[entry.first_row + r].channel]))
    return ScrewKind::force;
  if (r < entry.num_parent_rows) return ScrewKind::general;
  const auto is_turn = [](const core::ScrewEntry& screw) {
    return screw.angular[0] == 0 && screw.angular[1] == 0 && screw.linear[0] == 0 &&
           screw.linear[1] == 0 && screw.linear[2] == 0;
  };
  const auto begin = plan.screws.begin() + entry.first_screw;
  const bool all_turn =
      std::all_of(begin, begin + entry.num_screws,
                  [&](const core::ScrewEntry& screw) { return screw.row != r || is_turn(screw); });
  const bool turns = entry.columns == ColumnSet::none || entry.columns == ColumnSet::first ||
                     entry.columns >= ColumnSet::revolute;
  return all_turn && turns ? ScrewKind::turn : ScrewKind::general;
}

/// Instructions that compute row r of body b, given its kind and columns.
core::RunKind run_kind_of_row(const RegressorPlan& plan, int b, int r) {
  const core::BodyEntry& entry = plan.bodies[b];
  const core::RowEntry& row = plan.rows[entry.first_row + r];
  const auto begin = plan.screws.begin() + entry.first_screw;
  const auto own = [r](const core::ScrewEntry& screw) { return screw.row == r; };
  const auto num_own = std::count_if(begin, begin + entry.num_screws, own);
  if (r < entry.num_parent_rows && num_own == 0) {
    if (row.kind == ScrewKind::force) return core::RunKind::moved_force;
    if (row.columns == ColumnSet::revolute &&
        run_kind_of_row(plan, entry.parent, r) == core::RunKind::turn)
      return core::RunKind::moved_turn;
    return row.columns == ColumnSet::revolute ? core::RunKind::moved : core::RunKind::mixed;
  }
  const bool is_joint =
      row.kind == ScrewKind::turn && num_own == 1 &&
      std::find_if(begin, begin + entry.num_screws, own)->angular[2] == entry.turn;
  return is_joint ? core::RunKind::turn : core::RunKind::mixed;
}

/// A joint's own row keeps no more of its screw than the rate (RunKind::turn), unless a child needs
/// the whole.
void keep_whole_screw(RegressorPlan& plan, const core::BodyEntry& body, int r) {
  for (int i = body.first_run; i < body.first_run + body.num_runs; ++i) {
    core::RowRun& run = plan.runs[i];
    if (run.kind == core::RunKind::turn && run.first_row == body.first_row + r)
      run.kind = core::RunKind::mixed;
  }
}

void add_runs(RegressorPlan& plan, int b) {
  core::BodyEntry& entry = plan.bodies[b];
  entry.first_run = static_cast<int>(plan.runs.size());
  for (int r = 0; r < entry.num_rows; ++r) {
    const core::RunKind kind = run_kind_of_row(plan, b, r);
    if (kind == core::RunKind::mixed && r < entry.num_parent_rows)
      keep_whole_screw(plan, plan.bodies[entry.parent], r);
    const bool is_first = static_cast<int>(plan.runs.size()) == entry.first_run;
    const bool is_single = kind == core::RunKind::turn || kind == core::RunKind::moved_turn;
    if (!is_first && !is_single && plan.runs.back().kind == kind)
      ++plan.runs.back().num_rows;
    else
      plan.runs.push_back({kind, entry.first_row + r, 1});
  }
  entry.num_runs = static_cast<int>(plan.runs.size()) - entry.first_run;
}

}  // namespace

void add_rows(RegressorPlan& plan, int b) {
  const Robot& robot = plan.robot;
  const Body& body = robot.bodies[b];
  core::BodyEntry& entry = plan.bodies[b];
  entry.first_row = static_cast<int>(plan.rows.size());
  entry.first_screw = static_cast<int>(plan.screws.size());
  if (body.parent >= 0) {
    core::BodyEntry& parent = plan.bodies[body.parent];
    parent.has_children = true;
    entry.num_parent_rows = parent.num_rows;
    entry.to_parent_row = parent.first_row - entry.first_row;
    for (int r = 0; r < parent.num_rows; ++r)
      plan.rows.push_back({.channel = plan.rows[parent.first_row + r].channel});
  }
  const Eigen::Matrix3d R_kernel_body = plan.kernel_frames[b].in_body.linear().transpose();
  for (int c = 0; c < plan.num_channels(); ++c) {
    const Channel& channel = plan.channels[c];
    Eigen::Vector3d angular, linear;
    if (channel.coordinate >= 0) {
      if (entry.coordinate != channel.coordinate) continue;
      angular = {0, 0, entry.turn};
      linear = {0, 0, entry.slide};
    } else {
      if (channel.body != b) continue;
      angular = R_kernel_body * channel.angular;
      linear = R_kernel_body * channel.linear;
    }
    int row = 0;
    const int num_rows = static_cast<int>(plan.rows.size()) - entry.first_row;
    while (row < num_rows && plan.rows[entry.first_row + row].channel != c) ++row;
    if (row == num_rows) plan.rows.push_back({.channel = c});
    core::ScrewEntry screw{.row = row, .angular = {}, .linear = {}};
    for (int i = 0; i < 3; ++i) screw.angular[i] = angular[i], screw.linear[i] = linear[i];
    plan.screws.push_back(screw);
  }
  entry.num_rows = static_cast<int>(plan.rows.size()) - entry.first_row;
  entry.num_screws = static_cast<int>(plan.screws.size()) - entry.first_screw;
  std::stable_sort(plan.screws.begin() + entry.first_screw, plan.screws.end(),
                   [](const core::ScrewEntry& left, const core::ScrewEntry& right) {
                     return left.row < right.row;
                   });
  for (int r = 0; r < entry.num_rows; ++r) {
    core::RowEntry& row = plan.rows[entry.first_row + r];
    row.kind = kind_of_row(plan, b, r);
    row.columns = felt_columns(entry.columns, row.kind);
  }
  add_runs(plan, b);
}

}  // namespace heft
