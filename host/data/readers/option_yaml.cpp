#include "readers/option_yaml.hpp"

#include <fmt/format.h>

#include <optional>

#include "files/yaml_text.hpp"

namespace heft {

std::string option_entry(const JointOption& option, const PerJoint& in_force, const Robot& robot,
                         const std::function<double(int coordinate, double old)>& change) {
  std::string joints;
  bool are_equal = true;
  std::optional<double> first;
  for (std::size_t k = 0; k < robot.coordinates.size(); ++k) {
    const std::string& name = robot.coordinates[k].name;
    const int index = static_cast<int>(k);
    const double value = change(index, in_force.of(name, index));
    are_equal = are_equal && value == first.value_or(value);
    first = first.value_or(value);
    if (value != option.usual)
      joints += fmt::format("{}{}: {:.6g}", joints.empty() ? "" : ", ", yaml_quoted(name), value);
  }
  if (are_equal && first && robot.coordinates.size() > 1)
    return fmt::format("{}: {:.6g}", option.key, *first);
  return fmt::format("{}: {{{}}}", option.key, joints);
}

std::string section_yaml(const std::string& section, const std::vector<std::string>& entries) {
  return fmt::format("{}: {{{}}}\n", section, fmt::join(entries, ", "));
}

std::string option_yaml(const JointOption& option, const PerJoint& in_force, const Robot& robot,
                        const std::function<double(int coordinate, double old)>& change) {
  return section_yaml(option.section, {option_entry(option, in_force, robot, change)});
}

}  // namespace heft
