// A tool or payload missing from the robot's file: a point mass on a link that makes the file's
// bodies wrong.
//
// The bodies adapt, so the data are explained as well without it; it reduces only the prior's share
// of the objective:
//
//   F(m, c) = min over bodies of the objective with J0 of the link + m [c; 1][c; 1]',
//   gain = F(0) - F(m, c) at its least,
//
// found by Newton's method from the mass and center by which the answer differs from the file, if
// those gain half of the threshold. The slope of F is that of the link's prior cost at the best
// bodies (envelope theorem), except for the margin of the cone, which depends on J0 and is small.
#pragma once

#include <optional>

#include "profile.hpp"

namespace heft {

/// Returns whether a fit, possibly from fewer samples, makes the last link of a chain heavier
/// than its file by almost the threshold of missing_payload().
bool has_laden_end(const HypothesisInput& input, const Eigen::VectorXd& answer);

/// `answer` and `residuals` are those of the unchanged training logs. Tests the last links of
/// chains that the fit makes much heavier than their file; returns the one with the largest
/// significant gain. Errors: those of the backend and of solving.
Result<std::optional<Hypothesis>> missing_payload(const Profile& profile, const Explained& answer,
                                                  const Residuals& residuals);

}  // namespace heft
