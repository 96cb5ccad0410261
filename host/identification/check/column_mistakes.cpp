#include "column_mistakes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "files/yaml_text.hpp"
#include "model/units.hpp"
#include "readers/option_yaml.hpp"

namespace heft::check {

namespace {

using Change = std::function<void(Samples&)>;

Change reversed_torque(int channel) {
  return [=](Samples& s) {
    if (s.torque.size() > 0) s.torque.col(channel) *= -1;
  };
}

Change swapped_torques(int a, int b) {
  return [=](Samples& s) {
    for (Eigen::ArrayXXd* array : {&s.torque, &s.weight})
      if (array->size() > 0) array->col(a).swap(array->col(b));
  };
}

Change swapped_motions(int a, int b) {
  return [=](Samples& s) {
    for (Eigen::ArrayXXd* array : {&s.position, &s.velocity, &s.acceleration})
      array->col(a).swap(array->col(b));
  };
}

/// Assigns to every joint the columns of the joint in `order`.
Change reordered(const LogFacts& log, const JointOrder& order) {
  std::vector<int> of_channel(log.channels.size());
  std::iota(of_channel.begin(), of_channel.end(), 0);
  for (const JointLog& joint : log.joints)
    for (const JointLog& other : log.joints)
      if (other.joint == order[static_cast<std::size_t>(joint.joint)])
        of_channel[static_cast<std::size_t>(joint.channel)] = other.channel;
  const auto reorder = [](Eigen::ArrayXXd& array, const std::vector<int>& from) {
    if (array.size() == 0) return;
    const Eigen::ArrayXXd old = array;
    for (std::size_t k = 0; k < from.size(); ++k)
      array.col(static_cast<Eigen::Index>(k)) = old.col(from[k]);
  };
  return [=](Samples& s) {
    for (Eigen::ArrayXXd* array : {&s.position, &s.velocity, &s.acceleration})
      reorder(*array, order);
    for (Eigen::ArrayXXd* array : {&s.torque, &s.weight}) reorder(*array, of_channel);
  };
}

/// "joint_1 from q3"
std::vector<std::string> moved_joints(const LogFacts& log, const JointOrder& order) {
  std::vector<std::string> moved;
  for (std::size_t k = 0; k < order.size(); ++k)
    if (order[k] != static_cast<int>(k))
      moved.push_back(log.robot.coordinates[k].name + " from " +
                      log.raw.name(log.raw.columns.first_position + order[k]));
  return moved;
}

Change both(Change first, Change second) {
  return [first = std::move(first), second = std::move(second)](Samples& s) {
    first(s);
    second(s);
  };
}

/// YAML options, merged with the current ones.
class Options {
 public:
  explicit Options(const LogFacts& log) : log_(log) {}

  /// `joint`: index of a coordinate; -1: all.
  std::string reversed_torque(int joint) const {
    return option_entry({"log", "torque_scale", 1}, log_.options.log.torque_scale, log_.robot,
                        [&](int k, double old) { return joint < 0 || k == joint ? -old : old; });
  }
  std::string reversed_position(int joint) const {
    return option_entry({"log", "position_scale", 1}, log_.options.log.position_scale, log_.robot,
                        [&](int k, double old) { return joint < 0 || k == joint ? -old : old; });
  }
  std::string degrees(int joint) const {
    return fmt::format("angle_unit: {{{}: deg}}",
                       yaml_quoted(log_.robot.coordinates[static_cast<std::size_t>(joint)].name));
  }

  /// The columns of all joints in another order; empty if a list of columns cannot express it.
  std::string torques(const JointOrder& order) const {
    std::vector<int> values;
    for (const int from : order) {
      const auto of = std::find_if(log_.joints.begin(), log_.joints.end(),
                                   [&](const JointLog& one) { return one.joint == from; });
      if (of == log_.joints.end() || !log_.raw.has_torque(of->channel)) return "";
      values.push_back(log_.raw.columns.torque[static_cast<std::size_t>(of->channel)]);
    }
    // patterns would have to name the wrenches, too
    if (log_.joints.size() != log_.channels.size()) return "";
    return list("torque", values);
  }
  std::string positions(const JointOrder& order) const {
    return list("position", values_of(log_.raw.columns.first_position, order));
  }
  std::string velocities(const JointOrder& order) const {
    return list("velocity", values_of(log_.raw.columns.first_velocity, order));
  }
  /// Positions, and velocities where they are used.
  std::vector<std::string> motions(const JointOrder& order) const {
    std::vector<std::string> options{positions(order)};
    if (log_.options.conditioning.velocity == VelocitySource::logged && log_.raw.has_velocity)
      options.push_back(velocities(order));
    return options;
  }

 private:
  static std::vector<int> values_of(int first, const JointOrder& order) {
    std::vector<int> values;
    for (const int from : order) values.push_back(first + from);
    return values;
  }
  std::string list(const char* key, const std::vector<int>& values) const {
    std::vector<std::string> names;
    for (const int value : values) names.push_back(yaml_quoted(log_.raw.name(value)));
    return fmt::format("{}: [{}]", key, fmt::join(names, ", "));
  }

  const LogFacts& log_;
};

/// Gravity along the other base axes: a ceiling, four walls.
std::vector<Eigen::Vector3d> other_gravities(const Eigen::Vector3d& gravity) {
  const Eigen::Vector3d down = gravity.normalized(), side = down.unitOrthogonal(),
                        other = down.cross(side);
  std::vector<Eigen::Vector3d> all;
  for (const Eigen::Vector3d& direction :
       {Eigen::Vector3d(-down), side, Eigen::Vector3d(-side), other, Eigen::Vector3d(-other)})
    all.push_back(gravity.norm() * direction);
  return all;
}

void add_of_one_joint(const LogFacts& log, const Options& options, int k,
                      std::vector<ColumnMistake>& mistakes) {
  const JointLog& one = log.joints[static_cast<std::size_t>(k)];
  const Coordinate& coordinate = log.coordinate(one);
  const Change torque = reversed_torque(one.channel), motion = scaled_motion(one.joint, -1);
  const std::string torque_option = options.reversed_torque(one.joint),
                    motion_option = options.reversed_position(one.joint);
  mistakes.push_back({.name = "torque-reversed",
                      .joints = {k},
                      .apply = torque,
                      .remedy = "negate the torque column",
                      .yaml = section_yaml("log", {torque_option})});
  mistakes.push_back({.name = "position-reversed",
                      .joints = {k},
                      .apply = motion,
                      .remedy = "negate the position (and velocity) column",
                      .yaml = section_yaml("log", {motion_option})});
  if (coordinate.is_angle && !std::isfinite(coordinate.upper))
    mistakes.push_back({.name = "position-in-degrees",
                        .joints = {k},
                        .apply = scaled_motion(one.joint, kDegree),
                        .remedy = "scale the column",
                        .yaml = section_yaml("log", {options.degrees(one.joint)})});
  mistakes.push_back(
      {.name = "joint-reversed",
       .joints = {k},
       .apply = both(torque, motion),
       .remedy = "negate position, velocity and torque: the drive's positive direction is opposite "
                 "to the URDF's axis",
       .yaml = section_yaml("log", {torque_option, motion_option})});
}

void add_of_all_joints(const LogFacts& log, const Options& options,
                       std::vector<ColumnMistake>& mistakes) {
  std::vector<int> all(log.joints.size());
  std::iota(all.begin(), all.end(), 0);
  mistakes.push_back({.name = "torque-reversed",
                      .joints = all,
                      .apply = [](Samples& s) { s.torque *= -1; },
                      .remedy = "negate the torque columns",
                      .yaml = section_yaml("log", {options.reversed_torque(-1)}),
                      .is_of_all = true});
  if (log.robot.gravity.norm() > 0)
    for (const Eigen::Vector3d& gravity : other_gravities(log.robot.gravity))
      mistakes.push_back(
          {.name = "gravity-direction",
           .joints = all,
           .gravity = gravity,
           .remedy = "set gravity to match the robot's mounting",
           .yaml = section_yaml("robot",
                                {fmt::format("gravity: [{:.4g}, {:.4g}, {:.4g}]", gravity[0] + 0.0,
                                             gravity[1] + 0.0, gravity[2] + 0.0)}),
           .is_of_all = true});
  // after gravity: a planar arm whose joints are all reversed is one that hangs from the ceiling
  const Change motions = [](Samples& s) {
    for (Eigen::ArrayXXd* array : {&s.position, &s.velocity, &s.acceleration}) *array *= -1;
  };
  mistakes.push_back({.name = "position-reversed",
                      .joints = all,
                      .apply = motions,
                      .remedy = "negate the position (and velocity) columns",
                      .yaml = section_yaml("log", {options.reversed_position(-1)}),
                      .is_of_all = true});
  mistakes.push_back(
      {.name = "joint-reversed",
       .joints = all,
       .apply = both([](Samples& s) { s.torque *= -1; }, motions),
       .remedy =
           "negate position, velocity and torque: the drives' positive directions are opposite "
           "to the URDF's axes",
       .yaml = section_yaml("log", {options.reversed_torque(-1), options.reversed_position(-1)}),
       .is_of_all = true});
}

void add_of_two_joints(const LogFacts& log, const Options& options, int a, int b,
                       std::vector<ColumnMistake>& mistakes) {
  const JointLog &one = log.joints[static_cast<std::size_t>(a)],
                 &two = log.joints[static_cast<std::size_t>(b)];
  const Change torques = swapped_torques(one.channel, two.channel),
               motions = swapped_motions(one.joint, two.joint);
  JointOrder exchanged(static_cast<std::size_t>(log.robot.num_coordinates()));
  std::iota(exchanged.begin(), exchanged.end(), 0);
  std::swap(exchanged[static_cast<std::size_t>(one.joint)],
            exchanged[static_cast<std::size_t>(two.joint)]);
  const std::string torque_option = options.torques(exchanged);
  std::vector<std::string> motion_options = options.motions(exchanged);
  ColumnMistake of_torques{.name = "torques-swapped",
                           .joints = {a, b},
                           .apply = torques,
                           .remedy = "swap the two torque columns"};
  ColumnMistake of_positions{.name = "positions-swapped",
                             .joints = {a, b},
                             .apply = motions,
                             .remedy = "swap the two position columns",
                             .yaml = section_yaml("log", motion_options)};
  ColumnMistake of_both{.name = "joints-swapped",
                        .joints = {a, b},
                        .apply = both(torques, motions),
                        .remedy = "swap the columns of the joints"};
  if (!torque_option.empty()) {
    of_torques.yaml = section_yaml("log", {torque_option});
    motion_options.push_back(torque_option);
    of_both.yaml = section_yaml("log", motion_options);
  }
  for (ColumnMistake* mistake : {&of_torques, &of_positions, &of_both})
    mistakes.push_back(std::move(*mistake));
}

/// "negate the torque column; or add to the configuration: log: {torque_scale: {"joint_2": -1}}"
std::string with_option(const std::string& remedy, const std::string& yaml) {
  return yaml.empty()
             ? remedy
             : remedy + "; or add to the configuration: " + yaml.substr(0, yaml.find('\n'));
}

}  // namespace

std::string column_of(const LogFacts& log, const JointLog& joint, const std::string& rule) {
  const RawLog& raw = log.raw;
  const bool torque = rule.starts_with("torque");
  return raw.name(torque ? raw.columns.torque[static_cast<std::size_t>(joint.channel)]
                         : raw.columns.first_position + joint.joint);
}

Finding finding_of(const LogFacts& log, const ColumnMistake& mistake, const std::string& path) {
  Finding finding{.name = mistake.name,
                  .severity = Severity::error,
                  .where = path + ":1",
                  .unit = "1",
                  .remedy = with_option(mistake.remedy, mistake.yaml),
                  .fix = {mistake.yaml, mistake.apply, mistake.gravity}};
  std::vector<std::string> columns;
  for (const int k : mistake.joints)
    columns.push_back(column_of(log, log.joints[static_cast<std::size_t>(k)], mistake.name));
  finding.subject = fmt::format("{}", fmt::join(columns, ", "));
  if (mistake.is_of_all)
    finding.subject = mistake.gravity                       ? "gravity"
                      : mistake.name == "joints-permuted"   ? "order of the joints"
                      : mistake.name == "position-reversed" ? "all positions"
                      : mistake.name == "joint-reversed"    ? "all joints"
                                                            : "all torques";
  if (mistake.joints.size() == 1)
    finding.joint = log.coordinate(log.joints[static_cast<std::size_t>(mistake.joints[0])]).name;
  return finding;
}

ColumnMistake joints_permuted(const LogFacts& log, const JointOrder& order) {
  const Options options(log);
  ColumnMistake mistake{.name = "joints-permuted",
                        .apply = reordered(log, order),
                        .remedy = fmt::format("name the columns in the robot's order, {}",
                                              fmt::join(moved_joints(log, order), ", ")),
                        .is_of_all = true};
  mistake.joints.resize(log.joints.size());
  std::iota(mistake.joints.begin(), mistake.joints.end(), 0);
  if (const std::string torques = options.torques(order); !torques.empty()) {
    std::vector<std::string> entries = options.motions(order);
    entries.push_back(torques);
    mistake.yaml = section_yaml("log", entries);
  }
  return mistake;
}

std::function<void(Samples&)> scaled_motion(int joint, double factor) {
  return [=](Samples& s) {
    for (Eigen::ArrayXXd* array : {&s.position, &s.velocity, &s.acceleration})
      array->col(joint) *= factor;
  };
}

std::vector<ColumnMistake> column_mistakes(const LogFacts& log) {
  const Options options(log);
  std::vector<ColumnMistake> mistakes;
  const auto num_joints = static_cast<int>(log.joints.size());
  const auto moves = [&](int k) { return log.joints[static_cast<std::size_t>(k)].moves; };
  for (int k = 0; k < num_joints; ++k)
    if (moves(k)) add_of_one_joint(log, options, k, mistakes);
  if (num_joints > 1) add_of_all_joints(log, options, mistakes);
  for (int a = 0; a < num_joints; ++a)
    for (int b = a + 1; b < num_joints; ++b)
      if (moves(a) && moves(b)) add_of_two_joints(log, options, a, b, mistakes);
  for (const JointOrder& order : orders_of_groups(log.robot)) {
    mistakes.push_back(joints_permuted(log, order));
    mistakes.back().is_of_groups = true;
  }
  for (const JointOrder& order : orders_of_all(log.robot))
    mistakes.push_back(joints_permuted(log, order));
  return mistakes;
}

}  // namespace heft::check
