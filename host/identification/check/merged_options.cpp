#include "merged_options.hpp"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <utility>

#include "files/yaml_text.hpp"

namespace heft::check {

namespace {

std::string text_of(const YAML::Node& node) {
  std::vector<std::string> parts;
  if (node.IsSequence()) {
    for (const auto& one : node) parts.push_back(text_of(one));
    return fmt::format("[{}]", fmt::join(parts, ", "));
  }
  if (node.IsMap()) {
    for (const auto& one : node) parts.push_back(text_of(one.first) + ": " + text_of(one.second));
    return fmt::format("{{{}}}", fmt::join(parts, ", "));
  }
  const std::string text = node.as<std::string>("");
  return node.Tag() == "!" ? yaml_quoted(text) : text;  // quoted in the original
}

/// Merges the options of the findings in their order.
class OptionBlock {
 public:
  OptionBlock(const Robot& robot, const LogFormat& in_force) : robot_(robot), in_force_(in_force) {}

  /// False if an option already has another value.
  bool add(const std::string& yaml) {
    for (const auto& section : YAML::Load(yaml))
      for (const auto& option : section.second)
        if (!add_option(section.first.as<std::string>(), option.first.as<std::string>(),
                        option.second))
          return false;
    return true;
  }

  std::string yaml() const {
    std::string text;
    for (const Section& section : sections_) {
      std::vector<std::string> entries;
      for (const Option& option : section.options)
        entries.push_back(option.key + ": " + text_of(option.value));
      text += fmt::format("{}: {{{}}}\n", section.name, fmt::join(entries, ", "));
    }
    return text;
  }

 private:
  struct Option {
    std::string key;
    YAML::Node value;
  };
  struct Section {
    std::string name;
    std::vector<Option> options;
  };

  bool add_option(const std::string& name, const std::string& key, const YAML::Node& value) {
    auto section = std::find_if(sections_.begin(), sections_.end(),
                                [&](const Section& one) { return one.name == name; });
    if (section == sections_.end()) section = sections_.insert(section, {name, {}});
    const auto option = std::find_if(section->options.begin(), section->options.end(),
                                     [&](const Option& one) { return one.key == key; });
    if (option == section->options.end()) {
      section->options.push_back({key, value});
      return true;
    }
    if (text_of(option->value) == text_of(value)) return true;
    if (const PerJoint* scale = scale_in_force(name, key)) {
      option->value = product(option->value, value, *scale);
      return true;
    }
    return add_joints(option->value, value);
  }

  const PerJoint* scale_in_force(const std::string& section, const std::string& key) const {
    if (section != "log") return nullptr;
    if (key == "torque_scale") return &in_force_.torque_scale;
    return key == "position_scale" ? &in_force_.position_scale : nullptr;
  }

  /// Combines both changes of the current scale; equal changes of a joint count once.
  YAML::Node product(const YAML::Node& a, const YAML::Node& b, const PerJoint& in_force) const {
    YAML::Node joints(YAML::NodeType::Map);
    for (int k = 0; k < robot_.num_coordinates(); ++k) {
      const std::string& name = robot_.coordinates[static_cast<std::size_t>(k)].name;
      const double one = of_joint(a, name), two = of_joint(b, name), old = in_force.of(name, k);
      const double both = one == two ? one : one * two / old;
      if (both == 1) continue;
      YAML::Node key(name);
      key.SetTag("!");
      joints[key] = fmt::format("{:.6g}", both);
    }
    return joints;
  }

  static double of_joint(const YAML::Node& scale, const std::string& name) {
    if (scale.IsScalar()) return scale.as<double>(1);
    const YAML::Node own = scale[name];
    return own ? own.as<double>(1) : 1;
  }

  static bool add_joints(YAML::Node& joints, const YAML::Node& more) {
    if (!joints.IsMap() || !more.IsMap()) return false;
    for (const auto& one : more) {
      const YAML::Node there = std::as_const(joints)[one.first.as<std::string>()];
      if (there && text_of(there) != text_of(one.second)) return false;
      if (!there) joints[one.first] = one.second;
    }
    return true;
  }

  const Robot& robot_;
  const LogFormat& in_force_;
  std::vector<Section> sections_;
};

}  // namespace

std::optional<std::string> merged_options(const std::vector<Finding>& findings, const Robot& robot,
                                          const LogFormat& in_force) {
  OptionBlock block(robot, in_force);
  std::vector<std::string> added;
  for (const Finding& finding : findings) {
    const std::string& yaml = finding.fix.yaml;
    const bool is_new = std::find(added.begin(), added.end(), yaml) == added.end();
    if (finding.severity != Severity::error || yaml.empty() || !is_new) continue;
    if (!block.add(yaml)) return {};
    added.push_back(yaml);
  }
  return block.yaml();
}

}  // namespace heft::check
