// Builds the flat tables of core/tree.hpp from a robot: kernel frames, screws, rows, row layouts,
// regrouping.
#include "heft/model/regressor_plan.hpp"

#include <algorithm>
#include <cmath>

#include "body_rows.hpp"
#include "gram_layout.hpp"
#include "kernel_frames.hpp"
#include "model/regrouping.hpp"

namespace heft {

namespace {

using core::ColumnSet;

/// Whether only its own revolute joint rotates body b, on a base at rest.
bool is_first_turn(const Robot& robot, int b) {
  return robot.bodies[b].parent < 0 && robot.bodies[b].type == JointType::revolute &&
         !robot.floating_base;
}

/// A body transfers parameters that its joint cannot feel only if its parent can absorb them and
/// only its own joint starts there.
ColumnSet columns_of(const Robot& robot, const std::vector<Channel>& channels, int b) {
  const Body& body = robot.bodies[b];
  if (!body.has_parameters) return ColumnSet::none;
  const bool parent_takes = body.parent < 0 || robot.bodies[body.parent].has_parameters;
  const bool carries_sensor = std::any_of(channels.begin(), channels.end(), [b](const Channel& c) {
    return c.coordinate < 0 && c.body == b;
  });
  if (!parent_takes || carries_sensor) return ColumnSet::all;
  return is_first_turn(robot, b) ? ColumnSet::first : kept_columns(body.type);
}

core::BodyEntry make_body_entry(const Body& body, const KernelFrame& frame, ColumnSet columns) {
  const Eigen::Isometry3d& X = frame.in_parent;
  core::BodyEntry entry{};
  entry.parent = body.parent;
  entry.pose = frame.pose;
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
  entry.turn_offset = turn * (body.offset + frame.angle);
  entry.slide = slide * body.ratio;
  entry.slide_offset = slide * body.offset;
  entry.columns = columns;
  return entry;
}

/// Gives every channel its row: the structural columns of the bodies it touches, its extra columns,
/// the torque.
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
      plan.features.push_back({term.channel, static_cast<int>(columns.size()), 0, 0, term.feature,
                               term.source, 1 / term.width});
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

/// A ratio of zero would leave only the offset, which the tables do not support.
Result<Done> check_ratios(const Robot& robot) {
  for (const Body& body : robot.bodies)
    if (body.type != JointType::rigid && body.ratio == 0)
      return Error{"body '" + body.name + "'",
                   "has the ratio 0 to its coordinate, so it never moves", "make its joint fixed"};
  return Done{};
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
      const bool of_coordinate =
          term.feature != core::Feature::one && term.feature != core::Feature::signal;
      if (of_coordinate && (term.source < 0 || term.source >= robot.num_coordinates()))
        return Error{where, "refers to a joint that does not exist", "name a joint of the robot"};
      if (!(term.width > 0))
        return Error{where, "has a width that is not positive", "give a width > 0"};
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
          .num_signals = num_signals,
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
          .summed_width = summed_width};
}

Result<PlanPtr> make_regressor_plan(Robot robot, std::vector<Channel> channels,
                                    std::vector<Column> columns) {
  HEFT_CHECK(check_ratios(robot));
  HEFT_CHECK(check_columns(robot, channels, columns));
  auto plan = std::make_shared<RegressorPlan>();
  plan->layout = make_parameter_layout(robot, std::move(columns));
  plan->robot = std::move(robot);
  plan->channels = std::move(channels);
  plan->kernel_frames = kernel_frames(plan->robot);
  for (int b = 0; b < plan->robot.num_bodies(); ++b) {
    plan->bodies.push_back(make_body_entry(plan->robot.bodies[b], plan->kernel_frames[b],
                                           columns_of(plan->robot, plan->channels, b)));
    add_rows(*plan, b);
  }
  lay_out_channels(*plan);
  plan->regrouping = regrouping_matrix(*plan);
  return PlanPtr(std::move(plan));
}

}  // namespace heft
