// Thresholds above which a fault that explains a log is a doubt
// (host/results/report/doubts/about_hypotheses.cpp, docs/doubts.md); the search omits faults far
// below them. bench/faults/bounds.py reads these numbers.
#pragma once

#include "heft/evidence/evidence.hpp"
#include "model/units.hpp"

namespace heft::doubt_bounds {

constexpr double kLeastGain = 3;        ///< nats, on training and held-out logs
constexpr double kClearGain = 8;        ///< nats, sufficient by itself
constexpr double kUnmistakable = 50;    ///< nats, also over freer bodies: the fault then matters on
                                        ///< other motions too
constexpr double kLeastChange = 0.02;   ///< of the torque, by the correction
constexpr double kChangeByZero = 0.01;  ///< of the torque: friction explains other zeros at the
                                        ///< ends of chains
constexpr double kLargeError = 0.08;    ///< relative error of all torques: several things may be
                                        ///< wrong
constexpr double kMaxErrorLeft = 0.7;   ///< largest share of a large error that may remain
constexpr double kErrorRatio = 1.25;  ///< of the relative errors of all torques, before over after
constexpr double kErrorFall = 0.003;  ///< of the relative error of all torques
constexpr double kClearScale = 0.18;  ///< size of the logarithm of a factor
constexpr double kClearZero = 2 * kDegree;  ///< rad
constexpr double kClearRate = 0.03;         ///< size of the logarithm of a time factor

/// Returns whether correcting the fault noticeably reduces the error, on held-out logs if there are
/// any.
inline bool shows_in_error(const Hypothesis& h) {
  const double before = h.held_out_before.value_or(h.training_before),
               after = h.held_out_after.value_or(h.training_after);
  return before > kErrorRatio * after && before > after + kErrorFall;
}

}  // namespace heft::doubt_bounds
