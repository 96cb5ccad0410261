// The bootstrap's problems: one problem whose data are drawn again, block by block. Their
// objectives are sums of scaled blocks, so that no problem has to be made: one product of matrices
// makes them all.
//
//   Q_r = 1/N_r sum_b n_br 2 S'G_b S + prior,   N_r = sum_b n_br N_b
// Threads: any number of threads may call, each with objects of its own; what is const may be
// shared.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "heft/base/result.hpp"
#include "heft/solve/problem.hpp"
#include "heft/solve/solve.hpp"

#pragma GCC visibility push(default)
namespace heft {

struct Resampled {
  Eigen::MatrixXd x;         ///< parameters x resamples; NaN where there is no answer
  std::vector<bool> solved;  ///< to the gap that was asked for
};

/// Whether solve_resampled() knows such a problem: bodies and signs alone, the metric prior, the
/// default method.
bool can_be_resampled(const Problem& whole, const SolveOptions& options);

/// Optima of `whole` with other data: resample r takes block b `draws(b, r)` times. In lanes, on
/// `num_threads` threads, which change no bit. What they do not solve, resamples without rows among
/// them, is for make_problem() and solve(). Fails on a problem that it does not know, blocks and
/// draws that do not fit; stopped().
Result<Resampled> solve_resampled(const Problem& whole, const std::vector<NormalEquations>& blocks,
                                  const Eigen::MatrixXi& draws, const SolveOptions& options = {},
                                  int num_threads = 1, const Progress& progress = {});

}  // namespace heft
#pragma GCC visibility pop
