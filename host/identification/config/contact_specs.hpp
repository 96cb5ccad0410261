// The `contacts:` of the configuration: contacts whose forces may be unknown.
//
//   contacts:
//     - frame: FL_foot                     # a link
//       type: point                        # or line, plane
//       axis: y                            # direction of a line, in the axes of the frame
//       state: FL_contact                  # a column: 1 in contact; auto: from the residuals;
//                                          # {force: [columns], threshold: 20}
//       widen_s: 0.025                     # extends every contact at both ends
//       radius: 0.022                      # m: a point at the lowest point of a sphere
#pragma once

#include <yaml-cpp/yaml.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "heft/config/configuration.hpp"

namespace heft::config {

Result<std::vector<ContactSpec>> read_contact_specs(const YAML::Node& node,
                                                    const std::string& file);
nlohmann::ordered_json write_contact_specs(const std::vector<ContactSpec>& contacts);

}  // namespace heft::config
