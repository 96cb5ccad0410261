#include "wrench_specs.hpp"

#include <algorithm>

#include "config/field_reader.hpp"

namespace heft::config {

namespace {

constexpr const char* kWrenchForm =
    "write, for example, - {name: left_foot, frame: L_foot, columns: [lf_fx, lf_fy, lf_fz], expressed_in: sensor}";

Result<WrenchSpec> read_wrench_spec(const YAML::Node& node, const std::string& file) {
  if (!node.IsMap())
    return Error{place_of(file, node), "a wrench must be a mapping of options", kWrenchForm};
  WrenchSpec wrench;
  FieldReader reader(node, file);
  const auto not_empty = [](const std::string& text) {
    return text.empty() ? std::string("must not be empty") : std::string();
  };
  reader("name", wrench.name, "", "name of the wrench, for messages and biases", not_empty);
  reader("frame", wrench.frame, "", "link on which it acts", not_empty);
  reader("columns", wrench.columns, "N, N m", "columns of the log: force, or force and torque",
         [](const std::vector<std::string>& names) {
           return names.size() == 3 || names.size() == 6
                      ? std::string()
                      : "must name 3 or 6 columns, not " + std::to_string(names.size());
         });
  reader("expressed_in", wrench.expressed_in, "", "axes of the columns");
  reader("sign", wrench.sign, "", "1: acting on the robot; -1: exerted by the robot",
         [](double sign) {
           return sign == 1 || sign == -1 ? std::string() : std::string("must be 1 or -1");
         });
  reader("bias", wrench.bias, "", "unknown constants in the columns");
  reader("radius", wrench.radius, "m", "the force acts at the lowest point of such a sphere",
         within(0, 10));
  if (const auto error = reader.finish()) return *error;
  for (const char* required : {"name", "frame", "columns"})
    if (!node[required])
      return Error{place_of(file, node), std::string("a wrench has no ") + required, kWrenchForm};
  return wrench;
}

}  // namespace

Result<std::vector<WrenchSpec>> read_wrench_specs(const YAML::Node& node, const std::string& file) {
  std::vector<WrenchSpec> wrenches;
  if (!node || node.IsNull()) return wrenches;
  if (!node.IsSequence())
    return Error{place_of(file, node), "wrenches must be a list", kWrenchForm};
  for (const YAML::Node& item : node) {
    HEFT_TRY(wrench, read_wrench_spec(item, file));
    const bool is_known = std::ranges::any_of(
        wrenches, [&](const WrenchSpec& other) { return other.name == wrench.name; });
    if (is_known)
      return Error{place_of(file, item), "wrench '" + wrench.name + "' is given twice",
                   "remove one of them, or rename it"};
    wrenches.push_back(std::move(wrench));
  }
  return wrenches;
}

nlohmann::ordered_json write_wrench_specs(const std::vector<WrenchSpec>& wrenches) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const WrenchSpec& wrench : wrenches)
    list.push_back({{"name", wrench.name},
                    {"frame", wrench.frame},
                    {"columns", wrench.columns},
                    {"expressed_in", enum_name(wrench.expressed_in)},
                    {"sign", wrench.sign},
                    {"radius", wrench.radius},
                    {"bias", wrench.bias}});
  return list;
}

}  // namespace heft::config
