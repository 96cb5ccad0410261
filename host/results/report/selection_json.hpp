// Reports the model search in result.json and the summary.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "heft/identify/selection.hpp"

namespace heft {

/// Returns "selection" of result.json: the path, rejected options, and the cost.
nlohmann::ordered_json selection_json(const Selection& selection);

/// Returns the same as tables for the terminal.
std::string selection_text(const Selection& selection);

}  // namespace heft
