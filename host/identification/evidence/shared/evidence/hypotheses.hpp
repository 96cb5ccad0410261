// Tests which single fault explains a log best, by how much, and whether logs not used for the
// choice agree.
//
// For faults (faults/fault.hpp) whose derivatives indicate an improvement (score_scan.hpp), it
// finds the size that minimizes the optimum of the constrained problem, with free bodies: a profile
// likelihood. With rss_c the squared residuals of channel c and N_c its rows, the gain is
//
//   sum_c N_c / (2 kappa_c) log(rss_c without / rss_c with)  +  change of the prior's share of the
//   objective
//
// in nats. kappa_c = 1 + 2 sum of autocorrelations reduces the number of rows to that of
// independent noise. It is computed from the residual after correcting the fault, because the
// effect of a fault is correlated itself and would hide it.
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

/// Input of the tests; holds references, which must outlive it.
struct HypothesisInput {
  const Setup& setup;                      ///< with the chosen weight of the prior
  const Eigen::VectorXd& channel_weights;  ///< 1 / s_c^2
  const SolveOptions& solve;
  const Excerpt& training;
  const Excerpt& held_out;  ///< may be empty
  const LogFormat& log;     ///< options in use, to which options that correct a fault are added
  const ConditioningOptions& conditioning;
  bool leaves_more_than_noise = true;  ///< the error of the estimate exceeds the noise floor
  std::vector<Finding> findings = {};  ///< errors in all training logs that an option corrects

  /// Returns the input with other excerpts or weights; everything else is unchanged. The arguments
  /// must outlive the result.
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

/// Tests all faults. If findings explain the errors, returns only these, because other faults may
/// only imitate them. Otherwise returns hypotheses, best first, without those whose gain is below a
/// few nats. Uses `num_threads` threads of the CPU, which do not change the result. Errors: those
/// of the backend and of solving; stopped().
Result<std::vector<Hypothesis>> test_hypotheses(const HypothesisInput& input, int num_threads,
                                                const Progress& progress = {});

}  // namespace heft
#pragma GCC visibility pop
