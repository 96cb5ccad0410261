#include "excluded_joints.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "files/json_text.hpp"

namespace heft {

std::vector<std::string> excluded_joints(const Identification& identification) {
  const auto options = parse_json<nlohmann::json>(identification.options);
  const nlohmann::json::json_pointer place("/joints/exclude");
  if (!options.is_object() || !options.contains(place) || !options[place].is_array()) return {};
  std::vector<std::string> joints;
  for (const nlohmann::json& joint : options[place])
    if (joint.is_string()) joints.push_back(joint.get<std::string>());
  return joints;
}

bool is_excluded(const std::vector<std::string>& excluded, const std::string& joint) {
  return std::find(excluded.begin(), excluded.end(), joint) != excluded.end();
}

}  // namespace heft
