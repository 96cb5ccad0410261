// Delays between torque and motion that are longer than short stretches can show: up to half a
// second, of all joints or of one.
//
// Coarse scan: with Y_c the rows of channel c and tau_c(d) its torque d seconds later, least
// squares by channel leaves
//
//   rss_c(d) = |tau_c(d)|^2 - |L_c^-1 Y_c' tau_c(d)|^2,   L_c L_c' = Y_c'Y_c
//
// on the same rows at every d. Where it is least, the constrained problem refines the size
// (size_search.hpp).
#pragma once

#include <optional>
#include <vector>

#include "evidence/hypotheses.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// Keeps a share of the samples in stretches of some seconds, about kRate of them a second: enough
/// for low-passed torques.
class LongExcerptRecorder {
 public:
  explicit LongExcerptRecorder(Eigen::Index max_samples) : excerpt_(max_samples) {}

  /// The samples that follow. Blocks whose rows go through a filter of their own are left out.
  void push(int segment, const Samples& block);

  /// Stretches of about the same length.
  Excerpt excerpt() const;

 private:
  static constexpr double kRate = 100;  ///< Hz

  ExcerptRecorder excerpt_;
  int segment_ = -1;
  Eigen::Index step_ = 1,
               next_ = 0;  ///< every step-th sample is kept; rows to skip before the next one
};

/// The delay that explains the logs of `input` (of LongExcerptRecorder) best, if it is long, one
/// explains them much better than none, and held-out logs agree. Errors: those of the backend and
/// of solving; stopped().
Result<std::optional<Hypothesis>> long_delay(const HypothesisInput& input, int num_threads,
                                             const Progress& progress = {});

}  // namespace heft
#pragma GCC visibility pop
