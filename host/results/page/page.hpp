// report.html: a result as one self-contained page that needs no network and no other file. The
// page's script draws from the embedded JSON: result.json unchanged, and data that only drawings
// need.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "geometry/outline.hpp"
#include "heft/identify/estimate.hpp"

namespace heft {

/// Returns the page of an identification, with outlines of the robot's bodies; without traces it
/// omits torques over time.
std::string page_html(const Identification& identification, const Outlines& outlines);

/// The page that compares two results: {"names": [2], "same_robot", "words": [sentences], "drawn":
/// [2, each null or traces, skeleton and outlines], "results": [2]}.
std::string comparison_html(const nlohmann::ordered_json& comparison);

}  // namespace heft
