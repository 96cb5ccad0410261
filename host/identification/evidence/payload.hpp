// A tool or a payload that the robot's file lacks: a point mass at a link, by which the file's
// bodies are wrong.
//
// The data are as well explained without it, for bodies follow; what it takes away is the prior's
// share of the objective:
//
//   F(m, c) = min over bodies of the objective with J0 of the link + m [c; 1][c; 1]',
//   gain = F(0) - F(m, c) at its least,
//
// which Newton's method finds from the mass and the center by which the answer differs from the
// file, if those gain half of what counts. The slope of F is that of the link's prior cost at the
// best bodies (envelope theorem), but for the margin of the cone, which moves with J0 and is small.
#pragma once

#include <optional>

#include "profile.hpp"

namespace heft {

/// Whether an answer, also one of fewer samples, makes the last link of a chain almost as much
/// heavier than its file as missing_payload() asks for.
bool has_laden_end(const HypothesisInput& input, const Eigen::VectorXd& answer);

/// `answer` and `residuals` are those of the training logs as they are.
/// On the last link of a chain that the answer makes much heavier than its file, if that gains more
/// than chance; of several the one that gains most. Errors: the backend's, those of solving.
Result<std::optional<Hypothesis>> missing_payload(const Profile& profile, const Explained& answer,
                                                  const Residuals& residuals);

}  // namespace heft
