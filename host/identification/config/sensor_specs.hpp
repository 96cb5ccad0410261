// The `sensors:` of the configuration: force-torque sensors, by name.
//
//   sensors:
//     wrist:                          # columns tau_wrist_fx .. tau_wrist_nz, by the patterns of
//                                     log.torque
//       link: tool0                   # measures this link and all links outward of it
//       pose: [0, 0, 0.03, 0, 0, 0]   # of the sensor in the link: x, y, z [m],
//                                     roll, pitch, yaw [rad]
//       sign: -1                      # measures the wrench of the link on its carrier
//       force_scale: 0.001            # N per unit of the log
//       offset: [1.2, 0, -0.4, 0, 0, 0.01]   # readings without load: N, N m
#pragma once

#include <yaml-cpp/yaml.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "heft/config/configuration.hpp"

namespace heft::config {

Result<std::vector<SensorSpec>> read_sensor_specs(const YAML::Node& node, const std::string& file);
nlohmann::ordered_json write_sensor_specs(const std::vector<SensorSpec>& sensors);

}  // namespace heft::config
