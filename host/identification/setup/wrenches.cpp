#include "wrenches.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "model/cross_matrix.hpp"

namespace heft {

namespace {

constexpr const char* kComponents[] = {"fx", "fy", "fz", "nx", "ny", "nz"};

Result<Done> check(const WrenchSpec& wrench, const Robot& robot, const BaseSource& base) {
  if (wrench.name.empty())
    return Error{"wrenches", "a wrench has no name", "give it one, such as left_foot"};
  const std::string where = "wrenches: " + wrench.name;
  if (wrench.columns.size() != 3 && wrench.columns.size() != 6)
    return Error{where, "names " + std::to_string(wrench.columns.size()) + " columns",
                 "name 3 (force) or 6 (force and torque) columns of the log"};
  if (wrench.sign != 1 && wrench.sign != -1)
    return Error{where, "sign must be 1 or -1",
                 "1: wrench acting on the robot; -1: wrench that the robot exerts"};
  if (!(wrench.radius >= 0) || !std::isfinite(wrench.radius))
    return Error{where, "radius must be a finite number of at least 0 m",
                 "give the sphere's radius"};
  const bool needs_world = wrench.expressed_in == WrenchAxes::world || wrench.radius > 0;
  if (needs_world && robot.floating_base && base.pose.empty())
    return Error{
        where,
        std::string(wrench.radius > 0 ? "the lowest point of a sphere" : "expressed_in: world") +
            " needs the orientation of the base",
        "name its columns in base.pose, or log the wrench in the axes of its frame "
        "(expressed_in: sensor, radius: 0)"};
  return Done{};
}

Eigen::Matrix3d world_from_base(const Eigen::ArrayXXd& orientation, Eigen::Index row) {
  if (orientation.size() == 0) return Eigen::Matrix3d::Identity();
  return Eigen::Quaterniond(orientation(row, 3), orientation(row, 0), orientation(row, 1),
                            orientation(row, 2))
      .toRotationMatrix();
}

/// The wrench on the robot in the axes of its frame.
void set_values(const RegressorPlan& plan, const PlacedWrench& wrench, const BlockInputs& inputs,
                Eigen::Index row, Samples& block) {
  Eigen::Matrix3d R_frame_columns = Eigen::Matrix3d::Identity();
  if (wrench.spec.expressed_in == WrenchAxes::world) {
    const FrameRows frame = frame_rows(plan, wrench.place.body, wrench.place.X_body_link,
                                       block.position.row(row).transpose().matrix());
    R_frame_columns =
        (world_from_base(inputs.orientation, row) * frame.X_base_frame.linear()).transpose();
  }
  for (int k = 0; k < wrench.num_components(); k += 3) {
    const Eigen::Vector3d logged = inputs.logged.row(row).segment<3>(k).transpose().matrix();
    block.signal.row(row).segment<3>(wrench.value_signal + k) =
        (wrench.spec.sign * (R_frame_columns * logged)).transpose().array();
  }
}

}  // namespace

const Eigen::MatrixXd& ComponentRows::at(const RegressorPlan& plan, const PlacedWrench& wrench,
                                         const Samples& block, const Eigen::ArrayXXd& orientation,
                                         Eigen::Index row) {
  position_ = block.position.row(row).transpose().matrix();
  put_frame_rows(plan, wrench.place.body, wrench.place.X_body_link, position_, frame_);
  Eigen::MatrixXd& rows = frame_.J_transposed;
  const bool is_in_world = wrench.spec.expressed_in == WrenchAxes::world;
  if (wrench.spec.radius == 0 && !is_in_world) return rows;
  const Eigen::Matrix3d R_frame_world =
      (world_from_base(orientation, row) * frame_.X_base_frame.linear()).transpose();
  // a force at r has the torque r x f about the frame's origin
  const Eigen::Matrix3d arm = cross_matrix(-wrench.spec.radius * R_frame_world.col(2));
  for (const int c : wrench.channels) {
    Eigen::RowVector3d force = rows.row(c).head<3>(), torque = rows.row(c).tail<3>();
    if (wrench.spec.radius > 0) force += torque * arm;
    if (is_in_world)
      force = (force * R_frame_world).eval(), torque = (torque * R_frame_world).eval();
    rows.row(c) << force, torque;
  }
  return rows;
}

std::vector<int> felt_by(const Robot& robot, const std::vector<Channel>& channels, int body) {
  std::set<int> coordinates, bodies;
  for (int b = body; b >= 0; b = robot.bodies[static_cast<std::size_t>(b)].parent) {
    bodies.insert(b);
    coordinates.insert(robot.bodies[static_cast<std::size_t>(b)].coordinate);
  }
  std::vector<int> list;
  for (std::size_t c = 0; c < channels.size(); ++c)
    if (channels[c].coordinate >= 0 ? coordinates.contains(channels[c].coordinate)
                                    : bodies.contains(channels[c].body))
      list.push_back(static_cast<int>(c));
  return list;
}

Result<std::vector<PlacedWrench>> place_wrenches(const Robot& robot,
                                                 const std::vector<Channel>& channels,
                                                 const ModelOptions& options) {
  std::vector<PlacedWrench> placed;
  std::set<std::string> names;
  const std::vector<ContactSpec> projected = projected_contacts(options);
  for (const WrenchSpec& wrench : options.wrenches) {
    const bool is_ignored = std::ranges::any_of(
        projected, [&](const ContactSpec& contact) { return contact.frame == wrench.frame; });
    if (is_ignored) continue;
    HEFT_CHECK(check(wrench, robot, options.base));
    if (!names.insert(wrench.name).second)
      return Error{"wrenches: " + wrench.name, "is given twice", "remove one, or rename it"};
    const std::string where = "wrenches: " + wrench.name + ": frame '" + wrench.frame + "'";
    HEFT_TRY(place, find_link(robot, wrench.frame, where));
    placed.push_back({wrench, place, felt_by(robot, channels, place.body)});
  }
  return placed;
}

std::vector<Column> bias_columns(PlacedWrench& wrench, const std::vector<Channel>& channels,
                                 DerivedSignals& derived) {
  if (!wrench.spec.bias) return {};
  wrench.first_signal = static_cast<int>(derived.signals.size());
  std::vector<Column> columns;
  for (int k = 0; k < wrench.num_components(); ++k) {
    Column column;
    column.name = "bias " + wrench.spec.name + " " + kComponents[k];
    column.kind = "expression";
    column.unit = k < 3 ? "N" : "N m";
    column.definition = "bias of wrench component " +
                        wrench.spec.columns[static_cast<std::size_t>(k)] + " at " +
                        wrench.spec.frame + "\n";
    for (const int c : wrench.channels) {
      column.joints.push_back(channels[static_cast<std::size_t>(c)].name);
      column.terms.push_back(
          {c, core::Feature::signal, static_cast<int>(derived.signals.size()), 1.0});
      derived.signals.emplace_back();
      derived.signal_names.push_back("wrenches: " + column.name);
    }
    columns.push_back(std::move(column));
  }
  return columns;
}

void add_value_signals(PlacedWrench& wrench, DerivedSignals& derived) {
  wrench.value_signal = static_cast<int>(derived.signals.size());
  for (int k = 0; k < wrench.num_components(); ++k) {
    derived.signals.emplace_back();
    derived.signal_names.push_back("wrenches: " + wrench.spec.name);
  }
}

FootSignals signals_of(const PlacedWrench& wrench) {
  FootSignals foot{.name = wrench.spec.name,
                   .frame = wrench.spec.frame,
                   .components = {},
                   .body = wrench.place.body,
                   .point = wrench.place.X_body_link.translation(),
                   .R_body_frame = wrench.place.X_body_link.linear(),
                   .first_signal = wrench.value_signal};
  for (int k = 0; k < wrench.num_components(); ++k) foot.components.push_back(k);
  return foot;
}

BlockFunction wrench_function(const PlanPtr& plan, const PlacedWrench& wrench) {
  BlockFunction function{.where = "wrenches: " + wrench.spec.name,
                         .columns = wrench.spec.columns,
                         .signals = {},
                         .adds_known_torque = true,
                         .apply = {}};
  const int num_channels = static_cast<int>(wrench.channels.size());
  const int num_signals = wrench.first_signal < 0 ? 0 : wrench.num_components() * num_channels;
  for (int s = 0; s < num_signals; ++s) function.signals.push_back(wrench.first_signal + s);
  for (int k = 0; k < wrench.num_components(); ++k)
    function.signals.push_back(wrench.value_signal + k);
  // with w = sign (logged - bias): measured = Y x - J'w, so that the factor of the bias is sign J'
  function.apply = [plan, wrench](const BlockInputs& inputs, Samples& block) -> Result<Done> {
    ComponentRows component_rows;
    const int num_components = wrench.num_components();
    for (Eigen::Index i = 0; i < block.size(); ++i) {
      const Eigen::MatrixXd& rows = component_rows.at(*plan, wrench, block, inputs.orientation, i);
      for (const int c : wrench.channels) {
        double torque = 0;
        for (int k = 0; k < num_components; ++k) torque += rows(c, k) * inputs.logged(i, k);
        block.known_torque(i, c) -= wrench.spec.sign * torque;
      }
      set_values(*plan, wrench, inputs, i, block);
      if (wrench.first_signal < 0) continue;
      int signal = wrench.first_signal;
      for (int k = 0; k < num_components; ++k)
        for (const int c : wrench.channels)
          block.signal(i, signal++) = wrench.spec.sign * rows(c, k);
    }
    return Done{};
  };
  return function;
}

}  // namespace heft
