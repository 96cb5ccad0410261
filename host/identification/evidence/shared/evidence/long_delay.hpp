// Delays between torque and motion that are too long for short stretches: up to half a second, of
// all joints or of one.
//
// Coarse scan: with Y_c the rows of channel c and tau_c(d) its torque d seconds later, least
// squares per channel leaves
//
//   rss_c(d) = |tau_c(d)|^2 - |L_c^-1 Y_c' tau_c(d)|^2,   L_c L_c' = Y_c'Y_c
//
// on the same rows for every d. At its minimum, the constrained problem refines the size
// (size_search.hpp).
#pragma once

#include <optional>
#include <vector>

#include "evidence/hypotheses.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// Keeps an excerpt in stretches of a few seconds with about kRate samples per second, enough for
/// low-passed torques.
class LongExcerptRecorder {
 public:
  explicit LongExcerptRecorder(Eigen::Index max_samples) : excerpt_(max_samples) {}

  /// Adds the next samples. Blocks whose rows have a filter of their own are skipped.
  void push(int segment, const Samples& block);

  /// Returns stretches of about equal length.
  Excerpt excerpt() const;

 private:
  static constexpr double kRate = 100;  ///< Hz

  ExcerptRecorder excerpt_;
  int segment_ = -1;
  Eigen::Index step_ = 1,
               next_ = 0;  ///< every step-th sample is kept; rows to skip before the next one
};

/// Returns the delay that explains the logs of `input` (from LongExcerptRecorder) best, if it is
/// long, explains them much better than no delay, and held-out logs agree. Errors: those of the
/// backend and of solving; stopped().
Result<std::optional<Hypothesis>> long_delay(const HypothesisInput& input, int num_threads,
                                             const Progress& progress = {});

}  // namespace heft
#pragma GCC visibility pop
