// report.html: the result as one page that needs nothing else, no network and no other file. The
// page's script draws from the JSON that is embedded in it: result.json as it is, and what only a
// drawing needs.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "geometry/outline.hpp"
#include "heft/identify/estimate.hpp"

namespace heft {

/// The page of an identification, with outlines of the robot's bodies; without traces it has no
/// torques over time.
std::string page_html(const Identification& identification, const Outlines& outlines);

/// The page that compares two results: {"names": [2], "same_robot", "words": [sentences], "drawn":
/// [2, each null or traces, skeleton and outlines], "results": [2]}.
std::string comparison_html(const nlohmann::ordered_json& comparison);

}  // namespace heft
