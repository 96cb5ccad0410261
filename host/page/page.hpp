// report.html: the result as one page that needs nothing else, no network and no other file. The page's
// script draws from the JSON that is embedded in it: result.json as it is, and what only a drawing needs.
#pragma once

#include <string>

#include "heft/identify/estimate.hpp"

namespace heft {

/// The page of an identification; without traces it has no torques over time.
std::string page_html(const Identification& identification);

/// The page that compares two results, given as the texts of their result.json with names to tell them apart.
std::string comparison_html(const std::string& name_a, const std::string& result_a, const std::string& name_b,
                            const std::string& result_b);

}  // namespace heft
