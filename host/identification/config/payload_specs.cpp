#include "payload_specs.hpp"

#include "config/field_reader.hpp"

namespace heft::config {

namespace {

constexpr const char* kForm =
    "write, for example, - {logs: [loaded.csv], link: flange, mass: 2.5, com: [0, 0, 0.04]}";

auto is_given() {
  return [](const auto& text) {
    return text.empty() ? std::string("must not be empty") : std::string();
  };
}

Result<KnownPayload> read_payload_spec(const YAML::Node& node, const std::string& file) {
  if (!node.IsMap())
    return Error{place_of(file, node), "a payload must be a mapping of options", kForm};
  KnownPayload payload;
  std::vector<double> inertia(6);
  FieldReader reader(node, file);
  reader("logs", payload.logs, "", "training and held-out logs with this payload", is_given());
  reader("link", payload.link, "", "link that carries the payload", is_given());
  reader("mass", payload.mass, "kg", "mass of the payload", positive(1e5));
  reader("com", payload.com, "m", "center of mass in the link");
  reader("inertia", inertia, "kg m^2", "Ixx, Ixy, Iyy, Ixz, Iyz, Izz about the center of mass",
         [](const std::vector<double>& numbers) {
           return numbers.size() == 6 ? std::string() : std::string("must be 6 numbers");
         });
  if (const auto error = reader.finish()) return *error;
  for (const char* needed : {"logs", "link", "mass"})
    if (!node[needed])
      return Error{place_of(file, node), std::string("a payload has no ") + needed, kForm};
  payload.inertia = Eigen::Map<const Eigen::Matrix<double, 6, 1>>(inertia.data());
  return payload;
}

}  // namespace

Result<std::vector<KnownPayload>> read_payload_specs(const YAML::Node& node,
                                                     const std::string& file) {
  std::vector<KnownPayload> payloads;
  if (node.IsNull()) return payloads;
  if (!node.IsSequence()) return Error{place_of(file, node), "payloads must be a list", kForm};
  for (const YAML::Node& item : node) {
    HEFT_TRY(payload, read_payload_spec(item, file));
    payloads.push_back(std::move(payload));
  }
  return payloads;
}

nlohmann::ordered_json write_payload_specs(const std::vector<KnownPayload>& payloads) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const KnownPayload& payload : payloads)
    list.push_back(
        {{"logs", payload.logs},
         {"link", payload.link},
         {"mass", payload.mass},
         {"com", {payload.com.x(), payload.com.y(), payload.com.z()}},
         {"inertia", std::vector<double>(payload.inertia.begin(), payload.inertia.end())}});
  return list;
}

}  // namespace heft::config
