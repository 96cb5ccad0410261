// Stores a robot's population prior as JSON, exact to the last bit.
#pragma once

#include <nlohmann/json.hpp>

#include "fleet_populations.hpp"

namespace heft {

nlohmann::ordered_json to_json(const StoredPopulationPrior& stored);

/// Returns nothing if the text is not such a prior for a robot with this layout.
std::optional<StoredPopulationPrior> population_prior_from_json(const nlohmann::ordered_json& json,
                                                                const ParameterLayout& layout);

}  // namespace heft
