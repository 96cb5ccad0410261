// The `wrenches:` of the configuration: measured wrenches of the surroundings on links.
//
//   wrenches:
//     - name: left_foot
//       frame: L_foot                      # a link
//       columns: [lf_fx, lf_fy, lf_fz]     # force, or force and torque (six)
//       expressed_in: world                # sensor: axes of the frame (default)
//       sign: 1                            # -1: columns hold what the robot exerts
//       radius: 0.022                      # m: acts at the lowest point of a sphere
//       bias: true                         # unknown constants
#pragma once

#include <yaml-cpp/yaml.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "heft/config/configuration.hpp"

namespace heft::config {

Result<std::vector<WrenchSpec>> read_wrench_specs(const YAML::Node& node, const std::string& file);
nlohmann::ordered_json write_wrench_specs(const std::vector<WrenchSpec>& wrenches);

}  // namespace heft::config
