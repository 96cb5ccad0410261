// Upper bounds on the torques of a motion, including between samples (FORMULAS 9).
//
// On an interval of length L a row y(t) differs from its chord by at most L^2 / 8 sup |y''|. Both y
// . reference and the standard deviation |y' V y|^(1/2) = |R y|, V = R'R, are convex in y, so
//
//   max |tau| + k sd <= the larger of the two ends + L^2 / 8 (sup |tau''| + k sup |R y''|)
//
// with the second derivatives of all entries of a row enclosed by the recursion of core/ in ball
// arithmetic (ball_jet.hpp). Intervals lie between knots and are halved until the bound is within
// `tolerance` of the largest value reached.
#pragma once

#include <vector>

#include "extremes.hpp"
#include "information.hpp"
#include "limits.hpp"

namespace heft::excite {

struct TorqueBound {
  Extreme largest;      ///< of |tau| + k sd: an upper bound if proved, otherwise the largest value
                        ///< evaluated
  bool proved = false;  ///< false if halving did not converge, at a column that jumps with the sign
                        ///< of a velocity, or with expressions
};

/// Returns one bound per channel. `tolerance` is a fraction of its limit, or of the torque if it
/// has no limit.
std::vector<TorqueBound> bound_torques(const Information& information, const Limits& limits,
                                       const CoefficientMotion& motion, double tolerance = 1e-3);

}  // namespace heft::excite
