// Key statements for the user, one sentence each.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "heft/identify/estimate.hpp"

namespace heft {

/// Returns the confidence in the result, one sentence per body: "mass of forearm: 3.1 kg, 95 % 2.6
/// to 3.4; Ixx is set by the prior"; preceded by what the log did not excite, or why there are no
/// intervals, and by mass and center of mass of a whole robot with a floating base. Empty for least
/// squares.
std::vector<std::string> uncertainty_words(const Identification& identification);

/// Returns the price of the constraints, and channels that are inconsistent with every physically
/// consistent model. Empty for least squares.
std::vector<std::string> price_words(const Identification& identification);

/// Returns which bodies have bounding ellipsoids and which have no shapes, and whose reference
/// exceeds its own. Empty if none were requested.
std::vector<std::string> bounding_words(const Identification& identification);

/// Returns "least" or "largest" if the chosen weight of the prior is the first or last tested;
/// otherwise empty.
std::string_view end_of_trials(const WeightChoice& choice);

/// Returns how the prior weight was chosen; empty if it was given.
std::vector<std::string> weight_words(const Identification& identification);

/// Returns the affine-invariant distance of every body from its prior, dimensionless; NaN if either
/// is not strictly physically consistent.
std::vector<double> distances_to_prior(const Identification& identification);

/// Returns which body is farthest from its prior, with the typical distance. Empty if fewer than
/// two bodies have a distance.
std::vector<std::string> distance_words(const Identification& identification);

}  // namespace heft
