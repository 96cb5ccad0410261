// The search for a model as result.json and the summary have it.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "heft/identify/selection.hpp"

namespace heft {

/// "selection" of result.json: the path, what was refused, and what it took.
nlohmann::ordered_json selection_json(const Selection& selection);

/// The same as tables for the terminal.
std::string selection_text(const Selection& selection);

}  // namespace heft
