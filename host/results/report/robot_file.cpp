#include "report/robot_file.hpp"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>

#include "files/json_text.hpp"

namespace heft {

namespace {

// a URDF has <dynamics> for joints of one coordinate; planar and floating ones are chains with
// bodies without parameters
bool has_dynamics_in_file(const Robot& robot, int coordinate) {
  for (const Body& body : robot.bodies) {
    if (body.is_rotor || body.coordinate != coordinate) continue;
    const bool follows_chain = body.parent >= 0 && !robot.bodies[body.parent].has_parameters;
    return body.has_parameters && !follows_chain;
  }
  return false;
}

class DynamicsWriter {
 public:
  explicit DynamicsWriter(const Identification& identification)
      : identification_(identification), keeps_(keeps_dynamics(identification)) {}

  IdentifiedDynamics write() {
    const ParameterLayout& layout = identification_.plan().layout;
    for (int j = 0; j < layout.num_columns(); ++j)
      add_column(layout.columns[j],
                 shown_value(layout.columns[j],
                             identification_.answer().parameters[layout.column_index(j)]));
    for (const double width : widths_)
      not_expressed_.push_back(
          fmt::format("coulomb near standstill: tanh(qd / {:g}), written as sign(qd)", width));
    add_rotors();
    add_known_torques();
    IdentifiedDynamics dynamics{.not_expressed = std::move(not_expressed_)};
    for (auto& [coordinate, friction] : friction_) dynamics.friction.push_back(std::move(friction));
    return dynamics;
  }

 private:
  const Robot& robot() const { return identification_.plan().robot; }

  // the coordinate whose <dynamics> the column is, or -1
  int coordinate_of(const Column& column) const {
    if (keeps_ || column.terms.size() != 1 ||
        (column.effect != ColumnEffect::damping && column.effect != ColumnEffect::dry_friction))
      return -1;
    const int coordinate = column.terms.front().source;
    return has_dynamics_in_file(robot(), coordinate) ? coordinate : -1;
  }

  void add_column(const Column& column, double value) {
    const int coordinate = coordinate_of(column);
    if (coordinate < 0) {
      not_expressed_.push_back(fmt::format("{}: {:.6g} {}", column.name, value, column.unit));
      return;
    }
    JointFriction& friction = friction_[coordinate];
    friction.joint = robot().coordinates[static_cast<std::size_t>(coordinate)].name;
    double& part = column.effect == ColumnEffect::damping ? friction.damping : friction.friction;
    if (value < 0)
      not_expressed_.push_back(
          fmt::format("{}: {:.6g} {}, negative: written as 0", column.name, value, column.unit));
    else
      part += value;
    const ColumnTerm& term = column.terms.front();
    if (term.feature == core::Feature::tanh_velocity) widths_.insert(term.width);
  }

  void add_rotors() {
    for (const Body& body : robot().bodies)
      if (body.is_rotor) not_expressed_.push_back(fmt::format("rotor {}", body.name));
  }

  void add_known_torques() {
    for (const auto& [channel, expression] : identification_.setup.model.derived.known_torque)
      not_expressed_.push_back(fmt::format(
          "known torque of {}: {}",
          identification_.plan().channels[static_cast<std::size_t>(channel)].name, expression));
  }

  const Identification& identification_;
  bool keeps_;
  std::map<int, JointFriction> friction_;  // by coordinate
  std::set<double> widths_;                // of smooth Coulomb friction
  std::vector<std::string> not_expressed_;
};

}  // namespace

bool keeps_dynamics(const Identification& identification) {
  const auto options = parse_json<nlohmann::json>(identification.options);
  const nlohmann::json::json_pointer place("/estimation/keep_dynamics");
  return options.is_object() && options.contains(place) && options[place] == true;
}

IdentifiedDynamics robot_file_dynamics(const Identification& identification) {
  return DynamicsWriter(identification).write();
}

}  // namespace heft
