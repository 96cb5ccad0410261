// The list `payloads` of the configuration:
//     - {logs: [loaded.csv], link: flange, mass: 2.5, com: [0, 0, 0.04], inertia: [..]}
#pragma once

#include <yaml-cpp/yaml.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "heft/setup/setup.hpp"

namespace heft::config {

/// Returns the payloads of a list. Errors name file and line: no log, link or mass; wrong lengths.
Result<std::vector<KnownPayload>> read_payload_specs(const YAML::Node& node,
                                                     const std::string& file);

/// Returns the list that read_payload_specs reads.
nlohmann::ordered_json write_payload_specs(const std::vector<KnownPayload>& payloads);

}  // namespace heft::config
