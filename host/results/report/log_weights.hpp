// What result.json and the summary say about weights of kinds of logs.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "heft/identify/estimate.hpp"

namespace heft {

/// Returns {"from", "kinds": [{"kind", "logs", "weight", "channels": [{"channel", "unit", "rows",
/// "noise", "relative"}]}]}; channels without rows in a kind have null noise.
nlohmann::ordered_json log_weights_json(const LogWeighting& weighting, const RegressorPlan& plan);

/// Returns a table of geometric means by kind and group of channels.
std::string log_weights_text(const LogWeighting& weighting, const RegressorPlan& plan);

}  // namespace heft
