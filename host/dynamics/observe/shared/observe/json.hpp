// Observability as JSON for the command line, with names instead of column indices.
#pragma once

#include <nlohmann/json.hpp>

#include "heft/observe/observe.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// Returns the JSON. Keys: robot, num_parameters, num_base, num_base_without_rotors,
/// nearly_parallel {joint, other, angle_rad, num_base_if_parallel, num_base_if_not_parallel},
/// joints, parameters {body, name, unit, visibility, is_base}, identifiable and null_basis (lists
/// of objects label -> coefficient), channels {channel, num_identifiable, identifiable, alone}.
nlohmann::ordered_json observability_json(const Observability& observability);

}  // namespace heft
#pragma GCC visibility pop
