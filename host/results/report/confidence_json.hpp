// The parts of result.json that say what was believed, how sure the answer is and what it costs.
#pragma once

#include <nlohmann/json.hpp>

#include "heft/identify/estimate.hpp"

namespace heft {

/// Kind and weight of the prior, and how the weight was chosen.
nlohmann::ordered_json prior_json(const Identification& identification);

/// Needs Identification::optimum.
nlohmann::ordered_json uncertainty_json(const Identification& identification);

/// Needs the ellipsoids of EstimationOptions.
nlohmann::ordered_json ellipsoids_json(const Identification& identification);

/// Needs Optimum::price.
nlohmann::ordered_json price_json(const Identification& identification);

}  // namespace heft
