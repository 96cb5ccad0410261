// Which single fault explains a log best, by how much, and whether logs that chose nothing agree.
//
// Of faults (faults/fault.hpp) that promise something by their derivatives (score_scan.hpp) the
// size is looked for at which the constrained problem's optimum is least, with the bodies free to
// follow: a profile likelihood. With rss_c the squared residuals of channel c and N_c its rows, the
// gain is
//
//   sum_c N_c / (2 kappa_c) log(rss_c without / rss_c with)  +  change of the prior's share of the
//   objective
//
// in nats. kappa_c = 1 + 2 sum of autocorrelations counts noise that is not white by as many rows
// as it is worth; it is that of the residual with the fault undone, for what a fault leaves is
// correlated itself and would hide it.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "evidence/excerpt.hpp"
#include "heft/base/result.hpp"
#include "heft/evidence/evidence.hpp"
#include "heft/setup/setup.hpp"
#include "heft/solve/solve.hpp"

#pragma GCC visibility push(default)
namespace heft {

struct HypothesisInput {
  const Setup& setup;                      ///< with the prior's weight that was chosen
  const Eigen::VectorXd& channel_weights;  ///< 1 / s_c^2
  const SolveOptions& solve;
  const Excerpt& training;
  const Excerpt& held_out;  ///< may be empty
  const LogFormat& log;     ///< options in force, which those that fix a fault add to
  const ConditioningOptions& conditioning;
  bool leaves_more_than_noise = true;  ///< the answer's error is beyond the noise floor
  std::vector<Finding> findings = {};  ///< errors in all training logs that an option fixes

  /// Of other excerpts, of other weights: the rest stays as it is. What is given outlives what is
  /// made.
  HypothesisInput on(const Excerpt& other_training, const Excerpt& other_held_out) const {
    return on(other_training, other_held_out, log);
  }
  HypothesisInput on(const Excerpt& other_training, const Excerpt& other_held_out,
                     const LogFormat& other_log) const {
    return {setup,          channel_weights,        solve,
            other_training, other_held_out,         other_log,
            conditioning,   leaves_more_than_noise, findings};
  }
  HypothesisInput weighted(const Eigen::VectorXd& weights) const {
    return {setup,   weights, solve, training, held_out, log, conditioning, leaves_more_than_noise,
            findings};
  }
};

/// What the findings explain, if they do: all else may only imitate it. Otherwise best first; none
/// whose gain is below a few nats. Computed on so many threads of the CPU, of which the answer
/// knows nothing. Errors: those of the backend and of solving; stopped().
Result<std::vector<Hypothesis>> test_hypotheses(const HypothesisInput& input, int num_threads,
                                                const Progress& progress = {});

}  // namespace heft
#pragma GCC visibility pop
