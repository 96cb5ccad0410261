// Builds the flat tables of core/tree.hpp from a robot: kernel frames, screws, rows, row layouts, regrouping.
#include "heft/regressor_plan.hpp"

#include <algorithm>
#include <cmath>

#include "host/model/fingerprint.hpp"
#include "host/model/gram_layout.hpp"
#include "host/model/regrouping.hpp"

namespace heft {

namespace {

using core::ColumnSet;
using core::RowKind;

/// Pose of body b's kernel frame in its parent's kernel frame (or the base) at coordinate zero.
Eigen::Isometry3d kernel_pose(const Robot& robot, int b) {
  const Body& body = robot.bodies[b];
  const Eigen::Isometry3d X = body.X_parent_body * kernel_frame(body);
  return body.parent < 0 ? X : kernel_frame(robot.bodies[body.parent]).inverse() * X;
}

/// Whether nothing turns body b but its own revolute joint, on a base at rest.
bool is_first_turn(const Robot& robot, int b) {
  return robot.bodies[b].parent < 0 && robot.bodies[b].type == JointType::revolute && !robot.floating_base;
}

/// A body hands on what its joint cannot feel only if its parent can take it and if nothing but its joint
/// starts there.
ColumnSet columns_of(const Robot& robot, const std::vector<Channel>& channels, int b) {
  const Body& body = robot.bodies[b];
  if (!body.has_parameters) return ColumnSet::none;
  const bool parent_takes = body.parent < 0 || robot.bodies[body.parent].has_parameters;
  const bool carries_sensor = std::any_of(channels.begin(), channels.end(),
                                          [b](const Channel& c) { return c.coordinate < 0 && c.body == b; });
  if (!parent_takes || carries_sensor) return ColumnSet::all;
  return is_first_turn(robot, b) ? ColumnSet::first : kept_columns(body.type);
}

core::BodyEntry make_body_entry(const Robot& robot, int b, ColumnSet columns) {
  const Body& body = robot.bodies[b];
  const Eigen::Isometry3d X = kernel_pose(robot, b);
  core::BodyEntry entry{};
  entry.parent = body.parent;
  entry.coordinate = body.type == JointType::rigid ? -1 : body.coordinate;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) entry.rotation[3 * i + j] = X.linear()(i, j);
    entry.translation[i] = X.translation()[i];
  }
  const double turn = body.type == JointType::revolute || body.type == JointType::helical ? 1 : 0;
  const double slide = body.type == JointType::prismatic ? 1
                       : body.type == JointType::helical ? body.pitch
                                                         : 0;
  entry.turn = turn * body.ratio;
  entry.turn_offset = turn * body.offset;
  entry.slide = slide * body.ratio;
  entry.slide_offset = slide * body.offset;
  entry.columns = columns;
  return entry;
}

/// Whether a channel never turns: the force of a prismatic joint, a component of a sensor's force.
bool is_pure_force(const RegressorPlan& plan, const Channel& channel) {
  if (channel.coordinate < 0) return channel.angular.isZero(0);
  return std::none_of(plan.robot.bodies.begin(), plan.robot.bodies.end(), [&](const Body& body) {
    const bool turns = body.type == JointType::revolute || body.type == JointType::helical;
    return turns && body.coordinate == channel.coordinate;
  });
}

/// What is known of row r of body b, whose screws are sorted by row.
RowKind kind_of_row(const RegressorPlan& plan, int b, int r) {
  const core::BodyEntry& entry = plan.bodies[b];
  if (is_pure_force(plan, plan.channels[plan.rows[entry.first_row + r].channel])) return RowKind::force;
  if (r < entry.num_parent_rows) return RowKind::general;
  const auto is_turn = [](const core::ScrewEntry& screw) {
    return screw.angular[0] == 0 && screw.angular[1] == 0 && screw.linear[0] == 0 && screw.linear[1] == 0 &&
           screw.linear[2] == 0;
  };
  const auto begin = plan.screws.begin() + entry.first_screw;
  const bool all_turn = std::all_of(begin, begin + entry.num_screws, [&](const core::ScrewEntry& screw) {
    return screw.row != r || is_turn(screw);
  });
  const bool turns = entry.columns == ColumnSet::none || entry.columns == ColumnSet::first ||
                     entry.columns >= ColumnSet::revolute;
  return all_turn && turns ? RowKind::turn : RowKind::general;
}

/// How row r of body b is made; its kind and columns are known.
core::RunKind run_kind_of_row(const RegressorPlan& plan, int b, int r) {
  const core::BodyEntry& entry = plan.bodies[b];
  const core::RowEntry& row = plan.rows[entry.first_row + r];
  const auto begin = plan.screws.begin() + entry.first_screw;
  const auto own = [r](const core::ScrewEntry& screw) { return screw.row == r; };
  const auto num_own = std::count_if(begin, begin + entry.num_screws, own);
  if (r < entry.num_parent_rows && num_own == 0) {
    if (row.kind == RowKind::force) return core::RunKind::moved_force;
    if (row.columns == ColumnSet::revolute && run_kind_of_row(plan, entry.parent, r) == core::RunKind::turn)
      return core::RunKind::moved_turn;
    return row.columns == ColumnSet::revolute ? core::RunKind::moved : core::RunKind::mixed;
  }
  const bool is_joint = row.kind == RowKind::turn && num_own == 1 &&
                        std::find_if(begin, begin + entry.num_screws, own)->angular[2] == entry.turn;
  return is_joint ? core::RunKind::turn : core::RunKind::mixed;
}

/// A joint's own row keeps no more of its screw than the rate (RunKind::turn), unless a child needs the whole.
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

/// Rows and screws of body b: the parent's rows, then the channels that start here. A channel that already
/// came from the parent (mimic joints in one chain) gets the body's screw added to its row.
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
  const Eigen::Matrix3d R_kernel_body = kernel_frame(body).linear().transpose();
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
  std::stable_sort(
      plan.screws.begin() + entry.first_screw, plan.screws.end(),
      [](const core::ScrewEntry& left, const core::ScrewEntry& right) { return left.row < right.row; });
  for (int r = 0; r < entry.num_rows; ++r) {
    core::RowEntry& row = plan.rows[entry.first_row + r];
    row.kind = kind_of_row(plan, b, r);
    row.columns = felt_columns(entry.columns, row.kind);
  }
  add_runs(plan, b);
}

/// Structural column where every body's begin, and their number.
std::vector<int> first_structural_columns(const RegressorPlan& plan) {
  std::vector<int> first{0};
  for (const core::BodyEntry& entry : plan.bodies)
    first.push_back(first.back() + static_cast<int>(entry.columns));
  return first;
}

/// Gives every channel its row: the structural columns of the bodies it touches, its extra columns, the
/// torque.
void lay_out_channels(RegressorPlan& plan) {
  const std::vector<int> first_structural = first_structural_columns(plan);
  const int num_structural = first_structural.back();
  plan.channel_columns.assign(plan.num_channels(), {});
  for (size_t b = 0; b < plan.bodies.size(); ++b) {
    const core::BodyEntry& entry = plan.bodies[b];
    for (int r = 0; r < entry.num_rows; ++r) {
      core::RowEntry& row = plan.rows[entry.first_row + r];
      std::vector<int>& columns = plan.channel_columns[row.channel];
      row.column = static_cast<int>(columns.size());
      for (int k = 0; k < static_cast<int>(row.columns); ++k)
        columns.push_back(first_structural[b] + kept_position(entry.columns, row.kind, k));
    }
  }
  for (int j = 0; j < plan.layout.num_columns(); ++j)
    for (const ColumnTerm& term : plan.layout.columns[j].terms) {
      std::vector<int>& columns = plan.channel_columns[term.channel];
      plan.features.push_back(
          {term.channel, static_cast<int>(columns.size()), 0, 0, term.feature, term.source, 1 / term.width});
      columns.push_back(num_structural + j);
      if (term.feature == core::Feature::signal)
        plan.num_signals = std::max(plan.num_signals, term.source + 1);
    }
  for (const std::vector<int>& columns : plan.channel_columns) {
    const int width = static_cast<int>(columns.size()) + 1;
    plan.channel_entries.push_back({width, plan.packed_size});
    plan.packed_size += core::packed_triangle(width);
  }
  plan.summed_width = num_structural + plan.layout.num_columns() + 1;
  lay_out_gram(plan, first_structural);
}

/// Structural columns from parameters: every unit parameter is turned into its kernel frame; what the joint
/// keeps stays, the rest moves on to the parent, and so forth to the base, which feels nothing.
Eigen::SparseMatrix<double> regrouping_matrix(const RegressorPlan& plan) {
  std::vector<Eigen::Triplet<double>> entries;
  const std::vector<int> first_structural = first_structural_columns(plan);
  const int num_structural = first_structural.back();
  for (int i = 0; i < plan.layout.num_bodies(); ++i) {
    const int body = plan.layout.body_index[i];
    const Eigen::Matrix4d T = kernel_frame(plan.robot.bodies[body]).inverse().matrix();
    for (int k = 0; k < core::kNumParameters; ++k) {
      Eigen::Matrix4d J = T * pseudo_inertia(BodyParameters::Unit(k)) * T.transpose();
      for (int b = body; b >= 0; b = plan.bodies[b].parent) {
        const double rounding = 4e-16 * J.cwiseAbs().maxCoeff();
        for (const auto& [kept, kernel_entry] : kept_entries(plan.bodies[b].columns)) {
          const auto [row, column] = position_of(kernel_entry);
          if (std::abs(J(row, column)) > rounding)
            entries.emplace_back(first_structural[b] + kept,
                                 plan.layout.index(i, static_cast<core::Parameter>(k)), J(row, column));
          J(row, column) = J(column, row) = 0;
        }
        const Eigen::Matrix4d X = kernel_pose(plan.robot, b).matrix();
        J = (X * J * X.transpose()).eval();
      }
    }
  }
  for (int j = 0; j < plan.layout.num_columns(); ++j)
    entries.emplace_back(num_structural + j, plan.layout.column_index(j), 1.0);
  Eigen::SparseMatrix<double> W(num_structural + plan.layout.num_columns(), plan.layout.num_parameters());
  W.setFromTriplets(entries.begin(), entries.end());
  return W;
}

std::uint64_t fingerprint_of(const RegressorPlan& plan) {
  Fingerprint fingerprint;
  for (const Channel& channel : plan.channels) fingerprint.add(channel.name);
  for (int i = 0; i < plan.layout.num_parameters(); ++i) fingerprint.add(plan.layout.name(i));
  for (const core::FeatureEntry& entry : plan.features) {
    fingerprint.add(entry.channel);
    fingerprint.add(entry.column);
    fingerprint.add(static_cast<int>(entry.feature));
    fingerprint.add(entry.source);
    fingerprint.add(entry.scale);
  }
  for (const Column& column : plan.layout.columns) fingerprint.add(column.definition);
  for (const std::vector<int>& columns : plan.channel_columns)
    for (int column : columns) fingerprint.add(column);
  for (int k = 0; k < plan.regrouping.outerSize(); ++k)
    for (Eigen::SparseMatrix<double>::InnerIterator it(plan.regrouping, k); it; ++it) {
      fingerprint.add(static_cast<int>(it.row()));
      fingerprint.add(it.value());
    }
  return fingerprint.value();
}

Result<Done> check_columns(const Robot& robot, const std::vector<Channel>& channels,
                           const std::vector<Column>& columns) {
  for (const Column& column : columns) {
    std::vector<bool> entered(channels.size(), false);
    for (const ColumnTerm& term : column.terms) {
      const std::string where = "column '" + column.name + "'";
      if (term.channel < 0 || term.channel >= static_cast<int>(channels.size()))
        return Error{where, "enters a channel that does not exist", "name a joint of the robot"};
      if (entered[term.channel])
        return Error{where, "enters channel '" + channels[term.channel].name + "' twice",
                     "write the sum as one expression"};
      entered[term.channel] = true;
      const bool of_coordinate = term.feature != core::Feature::one && term.feature != core::Feature::signal;
      if (of_coordinate && (term.source < 0 || term.source >= robot.num_coordinates()))
        return Error{where, "refers to a joint that does not exist", "name a joint of the robot"};
      if (!(term.width > 0)) return Error{where, "has a width that is not positive", "give a width > 0"};
    }
  }
  return Done{};
}

}  // namespace

core::TreeView RegressorPlan::view() const {
  const auto count = [](const auto& entries) { return static_cast<int>(entries.size()); };
  return {.num_bodies = count(bodies),
          .num_coordinates = robot.num_coordinates(),
          .num_channels = num_channels(),
          .num_features = count(features),
          .num_rows = count(rows),
          .num_blocks = count(blocks),
          .num_panel_rows = count(panel_rows),
          .bodies = bodies.data(),
          .screws = screws.data(),
          .rows = rows.data(),
          .runs = runs.data(),
          .features = features.data(),
          .channels = channel_entries.data(),
          .panels = panels.data(),
          .panel_rows = panel_rows.data(),
          .panel_columns = panel_columns.data(),
          .blocks = blocks.data(),
          .packed_size = packed_size,
          .summed_width = summed_width,
          .slab_size = slab_size};
}

Result<PlanPtr> make_regressor_plan(Robot robot, std::vector<Channel> channels, std::vector<Column> columns) {
  HEFT_CHECK(check_columns(robot, channels, columns));
  auto plan = std::make_shared<RegressorPlan>();
  plan->layout = make_parameter_layout(robot, std::move(columns));
  plan->robot = std::move(robot);
  plan->channels = std::move(channels);
  for (int b = 0; b < plan->robot.num_bodies(); ++b) {
    plan->bodies.push_back(make_body_entry(plan->robot, b, columns_of(plan->robot, plan->channels, b)));
    add_rows(*plan, b);
  }
  lay_out_channels(*plan);
  plan->regrouping = regrouping_matrix(*plan);
  plan->fingerprint = fingerprint_of(*plan);
  return PlanPtr(std::move(plan));
}

}  // namespace heft
