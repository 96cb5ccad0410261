// A robot's prior from its sisters as JSON, to the last bit.
#pragma once

#include <nlohmann/json.hpp>

#include "sister_families.hpp"

namespace heft {

nlohmann::ordered_json to_json(const StoredSisterPrior& stored);

/// None: it is no such prior of a robot with this layout.
std::optional<StoredSisterPrior> sister_prior_from_json(const nlohmann::ordered_json& json,
                                                        const ParameterLayout& layout);

}  // namespace heft
