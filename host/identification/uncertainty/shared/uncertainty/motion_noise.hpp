// The part of intervals that noise of the measured motion causes.
#pragma once

#include <Eigen/Core>

#include "heft/uncertainty/uncertainty.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// Includes the bias by noise of the measured motion in the intervals of the whole robot.
/// `score_change` and `information_change`, N: changes of the sums of all scores and of Y'Y that
/// the noise causes on average. With A the inverse of Uncertainty::per_score, the noise moved the
/// estimate by
///
///   (A - N)^-1 score_change
///
/// because A - N is what motion without noise would have given; N counts as at most 0.9 A in every
/// direction. Call it after put_systematic. Does nothing without a whole robot or its errors.
void put_motion_noise(const Eigen::VectorXd& score_change,
                      const Eigen::MatrixXd& information_change, Uncertainty& uncertainty);

}  // namespace heft
#pragma GCC visibility pop
