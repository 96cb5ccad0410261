// The largest torques of a motion, between samples too (FORMULAS 9).
//
// On an interval of length L a row y(t) is its chord give or take L^2 / 8 sup |y''|. Both y .
// reference and the standard deviation |y' V y|^(1/2) = |R y|, V = R'R, are convex in y, so that
//
//   max |tau| + k sd <= the larger of the two ends + L^2 / 8 (sup |tau''| + k sup |R y''|)
//
// with the second derivatives of all entries of a row enclosed by core/'s own recursion in balls
// (ball_jet.hpp). Intervals lie between knots and are halved until the bound is as near to what was
// reached as `tolerance` says.
#pragma once

#include <vector>

#include "extremes.hpp"
#include "information.hpp"
#include "limits.hpp"

namespace heft::excite {

struct TorqueBound {
  Extreme largest;  ///< of |tau| + k sd: never passed if it is proved, else the largest of what was
                    ///< looked at
  bool proved = false;  ///< false where halving did not end, at a column that jumps with the sign
                        ///< of a velocity, and by expressions
};

/// Of every channel. `tolerance` is a share of its limit, or of the torque if it has none.
std::vector<TorqueBound> bound_torques(const Information& information, const Limits& limits,
                                       const CoefficientMotion& motion, double tolerance = 1e-3);

}  // namespace heft::excite
