// What a person should know first, one sentence each.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "heft/identify/estimate.hpp"

namespace heft {

/// How sure the answer is, one sentence a body: "mass of forearm: 3.1 kg, 95 % 2.6 to 3.4; Ixx is
/// set by the prior"; before them what the log did not excite, or why there are no intervals. Empty
/// for least squares.
std::vector<std::string> uncertainty_words(const Identification& identification);

/// What physics costs the fit, and channels that fight every physical answer. Empty for least
/// squares.
std::vector<std::string> price_words(const Identification& identification);

/// Which bodies ellipsoids bound and which have no shapes; whose reference reaches out of its own.
/// Empty if none were asked for.
std::vector<std::string> bounding_words(const Identification& identification);

/// "least" or "largest" if the chosen weight of the prior is the first or the last that was tried;
/// else empty.
std::string_view end_of_trials(const WeightChoice& choice);

/// How the prior weight was chosen; empty if it was given.
std::vector<std::string> weight_words(const Identification& identification);

/// Affine-invariant distance of every body from its prior, a pure number; nan where one of the two
/// is not inside the possible bodies.
std::vector<double> distances_to_prior(const Identification& identification);

/// Which body is farthest from its prior, beside what is typical. Empty where fewer than two bodies
/// have a distance.
std::vector<std::string> distance_words(const Identification& identification);

}  // namespace heft
