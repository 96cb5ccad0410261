#include "excite_config/excite_options.hpp"

#include <yaml-cpp/yaml.h>

#include <cmath>
#include <optional>

#include "config/column_specs.hpp"
#include "config/field_reader.hpp"
#include "files/json_text.hpp"
#include "files/whole_file.hpp"

namespace heft {

namespace {

class ExciteReader {
 public:
  ExciteReader(const std::string& path, const Robot& robot, ExciteOptions& options)
      : path_(path), robot_(robot), options_(options) {}

  Result<Done> read(const YAML::Node& root) {
    HEFT_CHECK(check_names(root, {"limits", "beliefs", "columns"}, "section"));
    if (const YAML::Node limits = root["limits"]; limits && !limits.IsNull())
      HEFT_CHECK(read_limits(limits));
    if (const YAML::Node beliefs = root["beliefs"]; beliefs && !beliefs.IsNull())
      HEFT_CHECK(read_beliefs(beliefs));
    if (const YAML::Node columns = root["columns"]; columns && !columns.IsNull()) {
      HEFT_TRY(specs, config::read_column_specs(columns, path_));
      options_.beliefs.columns = specs;
    }
    return Done{};
  }

 private:
  Error wrong(const YAML::Node& node, const std::string& what, const std::string& remedy) const {
    return {config::place_of(path_, node), what, remedy};
  }

  Result<Done> check_names(const YAML::Node& node, const std::vector<std::string>& known,
                           const char* noun) const {
    if (!node.IsMap()) return wrong(node, "must be a mapping", "write 'name: value' lines");
    if (const auto error = config::wrong_name(node, known, noun, path_)) return *error;
    return Done{};
  }

  Result<double> number(const YAML::Node& node, const std::string& name) const {
    double value = 0;
    if (!node.IsScalar() || !YAML::convert<double>::decode(node, value) || !std::isfinite(value))
      return wrong(node, name + " is not a finite number", "write a number in SI units");
    return value;
  }

  Result<Done> read_number(const YAML::Node& section, const char* name, double& value) const {
    const YAML::Node node = section[name];
    if (!node) return Done{};
    HEFT_TRY(read, number(node, name));
    value = read;
    return Done{};
  }

  /// Maps joints to nodes, from a mapping by name or a list in the order of the robot's
  /// coordinates.
  Result<std::map<std::string, YAML::Node>> by_joint(const YAML::Node& node,
                                                     const std::string& name) const {
    std::map<std::string, YAML::Node> joints;
    if (node.IsMap()) {
      for (const auto& entry : node) joints[entry.first.Scalar()] = entry.second;
      return joints;
    }
    if (!node.IsSequence() || static_cast<int>(node.size()) != robot_.num_coordinates()) {
      std::string names;
      for (const Coordinate& coordinate : robot_.coordinates)
        names += (names.empty() ? "" : ", ") + coordinate.name;
      return wrong(node,
                   name + " must be one value for each of the " +
                       std::to_string(robot_.num_coordinates()) + " joints",
                   "write a list in the order " + names + ", or a mapping joint: value");
    }
    for (int k = 0; k < robot_.num_coordinates(); ++k) joints[robot_.coordinates[k].name] = node[k];
    return joints;
  }

  Result<Done> read_values(const YAML::Node& section, const char* name,
                           std::map<std::string, double>& values) const {
    const YAML::Node node = section[name];
    if (!node) return Done{};
    HEFT_TRY(joints, by_joint(node, name));
    for (const auto& [joint, of_joint] : joints) {
      HEFT_TRY(value, number(of_joint, std::string(name) + " of " + joint));
      values[joint] = value;
    }
    return Done{};
  }

  Result<Done> read_rule(const YAML::Node& limits, const char* name, LimitRule& rule) const {
    const YAML::Node node = limits[name];
    if (!node) return Done{};
    const bool is_torque = &rule == &options_.limits.torque,
               is_position = &rule == &options_.limits.position;
    std::vector<std::string> known = {"scale", "values"};
    if (is_torque) known.emplace_back("deviations");
    HEFT_CHECK(check_names(node, known, "option"));
    HEFT_CHECK(read_number(node, "scale", rule.scale));
    if (is_torque && node["deviations"]) {
      HEFT_TRY(deviations, number(node["deviations"], "deviations"));
      options_.limits.torque_deviations = deviations;
    }
    if (!is_position) return read_values(node, "values", rule.values);
    if (!node["values"]) return Done{};
    HEFT_TRY(joints, by_joint(node["values"], "values"));
    for (const auto& [joint, range] : joints) {
      if (range.IsSequence() && range.size() == 2) {
        HEFT_TRY(lower, number(range[0], "lower limit of " + joint));
        HEFT_TRY(upper, number(range[1], "upper limit of " + joint));
        rule.ranges[joint] = {lower, upper};
      } else {
        HEFT_TRY(value, number(range, "position of " + joint));
        rule.values[joint] = value;
      }
    }
    return Done{};
  }

  Result<Done> read_optional(const YAML::Node& section, const char* name,
                             std::optional<double>& value) const {
    if (!section[name]) return Done{};
    HEFT_TRY(read, number(section[name], name));
    value = read;
    return Done{};
  }

  Result<CouplingRule> read_coupling(const YAML::Node& node) const {
    HEFT_CHECK(check_names(node, {"name", "of", "position", "velocity", "acceleration", "jerk"},
                           "option"));
    CouplingRule rule;
    if (node["name"] && node["name"].IsScalar()) rule.name = node["name"].Scalar();
    if (!node["of"] || !node["of"].IsMap())
      return wrong(node, "a coupling has no joints", "write of: {joint_5: 1, joint_6: -0.5}");
    HEFT_CHECK(read_values(node, "of", rule.of));
    if (const YAML::Node range = node["position"]) {
      if (!range.IsSequence() || range.size() != 2)
        return wrong(range, "position of a coupling is not a range",
                     "write position: [lower, upper]");
      HEFT_TRY(lower, number(range[0], "lower limit"));
      HEFT_TRY(upper, number(range[1], "upper limit"));
      rule.position = {lower, upper};
    }
    HEFT_CHECK(read_optional(node, "velocity", rule.velocity));
    HEFT_CHECK(read_optional(node, "acceleration", rule.acceleration));
    HEFT_CHECK(read_optional(node, "jerk", rule.jerk));
    return rule;
  }

  Result<Done> read_couplings(const YAML::Node& node) {
    if (!node.IsSequence())
      return wrong(node, "couplings must be a list",
                   "write - {name: motor_6, of: {joint_5: 1, joint_6: -0.5}, velocity: 2}");
    for (const auto& item : node) {
      HEFT_TRY(rule, read_coupling(item));
      options_.limits.couplings.push_back(rule);
    }
    return Done{};
  }

  Result<Done> read_limits(const YAML::Node& limits) {
    HEFT_CHECK(check_names(
        limits,
        {"position", "velocity", "acceleration", "jerk", "torque", "clearance", "couplings"},
        "limit"));
    if (const YAML::Node couplings = limits["couplings"]) HEFT_CHECK(read_couplings(couplings));
    HEFT_CHECK(read_number(limits, "clearance", options_.clearance.margin));
    HEFT_CHECK(read_rule(limits, "position", options_.limits.position));
    HEFT_CHECK(read_rule(limits, "velocity", options_.limits.velocity));
    HEFT_CHECK(read_rule(limits, "acceleration", options_.limits.acceleration));
    HEFT_CHECK(read_rule(limits, "jerk", options_.limits.jerk));
    return read_rule(limits, "torque", options_.limits.torque);
  }

  Result<Done> read_beliefs(const YAML::Node& node) {
    BeliefOptions& beliefs = options_.beliefs;
    HEFT_CHECK(check_names(node,
                           {"relative_inertia", "samples_per_second", "noise_of_effort", "noise",
                            "viscous", "coulomb", "rotor"},
                           "option"));
    HEFT_CHECK(read_number(node, "relative_inertia", beliefs.relative_inertia));
    HEFT_CHECK(read_number(node, "samples_per_second", beliefs.samples_per_second));
    HEFT_CHECK(read_number(node, "noise_of_effort", beliefs.noise_of_effort));
    HEFT_CHECK(read_values(node, "noise", beliefs.noise));
    HEFT_CHECK(read_values(node, "viscous", beliefs.viscous));
    HEFT_CHECK(read_values(node, "coulomb", beliefs.coulomb));
    return read_values(node, "rotor", beliefs.rotor);
  }

  const std::string& path_;
  const Robot& robot_;
  ExciteOptions& options_;
};

}  // namespace

Result<Done> read_excite_options(const std::string& path, const Robot& robot,
                                 ExciteOptions& options) {
  HEFT_TRY(text, read_text_whole(path, kLargestConfiguration));
  return excite_options_from_yaml(text, path, robot, options);
}

Result<Done> excite_options_from_yaml(const std::string& text, const std::string& path,
                                      const Robot& robot, ExciteOptions& options) {
  return config::with_root(text, path, [&](const YAML::Node& root) {
    return root.IsNull() ? Result<Done>(Done{}) : ExciteReader(path, robot, options).read(root);
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
