#include "excite_config/excite_options.hpp"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <optional>

#include "config/column_specs.hpp"
#include "config/field_reader.hpp"
#include "files/json_text.hpp"
#include "files/whole_file.hpp"

namespace heft {

namespace {

using config::FieldReader;

/// Reads a number of some joints: by name, as a list in the order of the robot's coordinates, or
/// one for all.
class JointReader {
 public:
  explicit JointReader(const Robot& robot) : robot_(robot) {}

  /// Calls `take(joint, item)` for every joint that the field gives an item.
  template <class Item, class Take>
  void read(FieldReader& reader, const char* name, const char* unit, const char* help,
            const Take& take) const {
    PerJointOf<Item> items;
    reader(name, items, unit, help, [&](const PerJointOf<Item>& read) {
      return read.in_order.empty() || read.in_order.size() == robot_.coordinates.size()
                 ? std::string()
                 : fmt::format("has {} values for {} joints", read.in_order.size(),
                               robot_.coordinates.size());
    });
    for (int k = 0; k < robot_.num_coordinates(); ++k) {
      const std::string& joint = robot_.coordinates[static_cast<std::size_t>(k)].name;
      take(joint, items.of(joint, k));
    }
    // joints that the robot does not have are refused where limits and beliefs are used
    for (const auto& [joint, item] : items.by_name) take(joint, item);
  }

  void read_numbers(FieldReader& reader, const char* name, const char* unit, const char* help,
                    std::map<std::string, double>& values) const {
    read<std::optional<double>>(reader, name, unit, help,
                                [&](const std::string& joint, const std::optional<double>& value) {
                                  if (value) values[joint] = *value;
                                });
  }

 private:
  const Robot& robot_;
};

constexpr const char* kScaleHelp = "factor on the limits of the robot file and on values";

void describe_position(LimitRule& rule, const JointReader& joints, FieldReader& reader) {
  reader("scale", rule.scale, "", kScaleHelp);
  joints.read<config::NumberOrRange>(
      reader, "values", "rad, m", "limits of joints: [lower, upper], or one for both sides of zero",
      [&](const std::string& joint, const config::NumberOrRange& value) {
        if (value.range) rule.ranges[joint] = *value.range;
        if (value.number) rule.values[joint] = *value.number;
      });
}

void describe_rule(LimitRule& rule, const char* unit, const JointReader& joints,
                   FieldReader& reader) {
  reader("scale", rule.scale, "", kScaleHelp);
  joints.read_numbers(reader, "values", unit, "limits of joints", rule.values);
}

CouplingRule read_coupling(const JointReader& joints, FieldReader& reader) {
  CouplingRule rule;
  reader("name", rule.name, "", "name of the coupling in messages");
  joints.read_numbers(reader, "of", "", "factors of joints in the sum", rule.of);
  reader("position", rule.position, "", "range of the sum: [lower, upper]");
  reader("velocity", rule.velocity, "", "limit of the sum's velocity");
  reader("acceleration", rule.acceleration, "", "limit of the sum's acceleration");
  reader("jerk", rule.jerk, "", "limit of the sum's jerk");
  if (rule.of.empty())
    reader.refuse("a coupling has no joints", "write of: {joint_5: 1, joint_6: -0.5}");
  return rule;
}

void describe_limits(ExciteOptions& options, const JointReader& joints, FieldReader& reader) {
  LimitOptions& limits = options.limits;
  reader.list("couplings", [&](FieldReader& coupling) {
    limits.couplings.push_back(read_coupling(joints, coupling));
  });
  reader("clearance", options.clearance.margin, "m", "smallest distance between collision shapes");
  const auto section = [&](const char* name, LimitRule& rule, const char* unit) {
    reader.section(name, [&](FieldReader& one) { describe_rule(rule, unit, joints, one); });
  };
  reader.section("position", [&](FieldReader& position) {
    describe_position(limits.position, joints, position);
  });
  section("velocity", limits.velocity, "rad/s, m/s");
  section("acceleration", limits.acceleration, "rad/s^2, m/s^2");
  section("jerk", limits.jerk, "rad/s^3, m/s^3");
  reader.section("torque", [&](FieldReader& torque) {
    describe_rule(limits.torque, "N m, N", joints, torque);
    torque("deviations", limits.torque_deviations, "",
           "margin for errors of the robot file, in standard deviations of the torque");
  });
}

void describe_beliefs(BeliefOptions& beliefs, const JointReader& joints, FieldReader& reader) {
  reader("relative_inertia", beliefs.relative_inertia, "",
         "relative standard deviation of the inertia of a body in the robot file");
  reader("samples_per_second", beliefs.samples_per_second, "1/s", "independent samples");
  reader("noise_of_effort", beliefs.noise_of_effort, "",
         "residual of a channel as a fraction of its effort limit");
  joints.read_numbers(reader, "noise", "N m, N", "residuals of joints", beliefs.noise);
  const char* const deviation = "standard deviations of these values in the robot file";
  joints.read_numbers(reader, "viscous", "N m s/rad, N s/m", deviation, beliefs.viscous);
  joints.read_numbers(reader, "coulomb", "N m, N", deviation, beliefs.coulomb);
  joints.read_numbers(reader, "rotor", "kg m^2, kg", deviation, beliefs.rotor);
}

}  // namespace

Result<Done> read_excite_sections(const YAML::Node& root, const std::string& path,
                                  const Robot& robot, ExciteOptions& options) {
  if (!root.IsMap())
    return Error{config::place_of(path, root), "must be a mapping of sections",
                 "write limits:, beliefs: or columns:, and their options below, indented"};
  const JointReader joints(robot);
  FieldReader reader(root, path);
  reader.section("limits", [&](FieldReader& limits) { describe_limits(options, joints, limits); });
  reader.section("beliefs",
                 [&](FieldReader& beliefs) { describe_beliefs(options.beliefs, joints, beliefs); });
  reader.leave("columns");
  if (const auto error = reader.finish()) return *error;
  if (const YAML::Node columns = root["columns"]; columns && !columns.IsNull()) {
    HEFT_TRY(specs, config::read_column_specs(columns, path));
    options.beliefs.columns = specs;
  }
  return Done{};
}

Result<Done> read_excite_options(const std::string& path, const Robot& robot,
                                 ExciteOptions& options) {
  HEFT_TRY(text, read_text_whole(path, kLargestConfiguration));
  return excite_options_from_yaml(text, path, robot, options);
}

Result<Done> excite_options_from_yaml(const std::string& text, const std::string& path,
                                      const Robot& robot, ExciteOptions& options) {
  return config::with_root(text, path, [&](const YAML::Node& root) {
    return root.IsNull() ? Result<Done>(Done{}) : read_excite_sections(root, path, robot, options);
  });
}

Result<std::map<std::string, double>> read_posture(const std::string& path) {
  HEFT_TRY(text, read_text_whole(path, kLargestConfiguration));
  const auto json = parse_json(text);
  const std::string remedy = "write {\"joint\": position, ..} in rad or m";
  if (!json.is_object()) return Error{path, "is not a JSON object", remedy};
  std::map<std::string, double> posture;
  for (const auto& [joint, value] : json.items()) {
    if (!value.is_number()) return Error{path, "'" + joint + "' is not a number", remedy};
    posture[joint] = value.template get<double>();
  }
  return posture;
}

}  // namespace heft
