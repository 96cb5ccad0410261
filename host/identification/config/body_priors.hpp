// The `priors:` of the configuration: knowledge about single bodies that replaces the robot's file.
//
//   priors:
//     gripper: {mass: 0.73, com: [0, 0, 0.058], inertia: [1e-3, 0, 2e-3, 0, 0, 1e-3]}
//     upper_arm: {parameters: [4, 0.8, 0, 0, 0.01, 0, 0.22, 0, 0, 0.22]}  # ten numbers of a body
//     cable_box: unknown  # the data decide
#pragma once

#include <yaml-cpp/yaml.h>

#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "heft/config/configuration.hpp"

namespace heft::config {

Result<std::map<std::string, BodyPrior>> read_body_priors(const YAML::Node& node,
                                                          const std::string& file);
nlohmann::ordered_json write_body_priors(const std::map<std::string, BodyPrior>& priors);

}  // namespace heft::config
