// Parts of result.json: the prior, intervals and price of constraints; doubts; the comparison of a
// chart with the certified answer.
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "heft/identify/estimate.hpp"
#include "report/verdict.hpp"

namespace heft {

/// Writes kind and weight of the prior, and how the weight was chosen.
nlohmann::ordered_json prior_json(const Identification& identification);

/// Needs Identification::optimum.
nlohmann::ordered_json uncertainty_json(const Identification& identification);

/// Needs the ellipsoids of EstimationOptions.
nlohmann::ordered_json ellipsoids_json(const Identification& identification);

/// Needs Optimum::price.
nlohmann::ordered_json price_json(const Identification& identification);

nlohmann::ordered_json doubts_json(const std::vector<Doubt>& doubts);
nlohmann::ordered_json hypotheses_json(const std::vector<Hypothesis>& hypotheses);
nlohmann::ordered_json reference_json(const Identification& identification);
nlohmann::ordered_json channels_json(const Identification& identification);

/// Writes the gains of drives; empty without such columns.
nlohmann::ordered_json gains_json(const Identification& identification);

/// Returns the rms over the training rows of the torque that the identified bodies need, by
/// channel; NaN where rows of channels are whitened.
std::vector<double> load_rms(const Identification& identification);

/// Writes the torque of friction against speed, by joint, without load and, if it matters, with the
/// load_rms().
nlohmann::ordered_json friction_curves_json(const Identification& identification);

nlohmann::ordered_json second_opinion_json(const SecondOpinion& opinion);

}  // namespace heft
