// The `columns:` list of the configuration.
//
//   columns:
//     - viscous                                  # c qd
//     - coulomb: {tanh_width: 0.05}              # c tanh(qd / 0.05); without a width c sign(qd)
//     - offset                                   # c
//     - reflected_inertia: {joints: [joint_1]}   # c qdd
//     - spring                                   # c q
//     - expression: {name: wrist inertia, unit: kg m^2, rows: {joint_5: qdd6, joint_6: qdd5}}
#pragma once

#include <yaml-cpp/yaml.h>

#include <nlohmann/json.hpp>
#include <span>
#include <vector>

#include "heft/config/configuration.hpp"

#pragma GCC visibility push(default)
namespace heft::config {

/// Reads the list. Errors name the file and line.
Result<std::vector<ColumnSpec>> read_column_specs(
    const YAML::Node& node, const std::string& file,
    std::span<const ColumnKind> kinds = column_kinds());
/// Returns the list as JSON.
nlohmann::ordered_json write_column_specs(const std::vector<ColumnSpec>& specs,
                                          std::span<const ColumnKind> kinds = column_kinds());

}  // namespace heft::config
#pragma GCC visibility pop
