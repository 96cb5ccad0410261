#include "training/option_differences.hpp"

#include "files/json_text.hpp"

namespace heft {

namespace {

using Json = nlohmann::ordered_json;

std::string dump(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Json options_from(const std::string& record) {
  Json json = parse_json<Json>(record);
  return json.is_object() ? json : Json::object();
}

/// Member `name` of an object; null if there is none.
Json member(const Json& json, const std::string& name) {
  return json.is_object() && json.contains(name) ? json.at(name) : Json();
}

}  // namespace

std::vector<OptionDifference> option_differences(const std::string& ours,
                                                 const std::string& theirs) {
  const Json a = options_from(ours), b = options_from(theirs);
  std::vector<OptionDifference> differences;
  const auto compare = [&](const std::string& path, const Json& mine, const Json& other) {
    if (!mine.is_null() && !other.is_null() && mine != other)
      differences.push_back({path + ": " + dump(mine), path + ": " + dump(other)});
  };
  for (const char* section : {"robot", "log", "conditioning"}) {
    const Json mine = member(a, section), other = member(b, section);
    for (const auto& [name, value] : mine.items()) {
      const std::string path = std::string(section) + "." + name;
      if (path != "robot.rotors") compare(path, value, member(other, name));
    }
  }
  for (const char* list : {"columns", "known_torque"})
    compare(list, member(a, list), member(b, list));
  // a record does not name what it lacks
  const auto given = [](const Json& record, const char* name) {
    const Json value = member(record, name);
    return value.is_null() ? Json::object() : value;
  };
  for (const char* name : {"sensors", "wrenches", "contacts", "base"})
    compare(name, given(a, name), given(b, name));
  return differences;
}

}  // namespace heft
