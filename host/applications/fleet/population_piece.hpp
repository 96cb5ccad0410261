// A robot's prior from its population as JSON, to the last bit.
#pragma once

#include <nlohmann/json.hpp>

#include "fleet_populations.hpp"

namespace heft {

nlohmann::ordered_json to_json(const StoredPopulationPrior& stored);

/// None: it is no such prior of a robot with this layout.
std::optional<StoredPopulationPrior> population_prior_from_json(const nlohmann::ordered_json& json,
                                                                const ParameterLayout& layout);

}  // namespace heft
