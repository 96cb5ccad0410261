// The problems of the bootstrap: one problem whose data are resampled by blocks. Their objectives
// are sums of scaled blocks, so a single matrix product creates all of them without make_problem().
//
//   Q_r = 1/N_r sum_b n_br 2 S'G_b S + prior,   N_r = sum_b n_br N_b
//
// Threads: safe to call from several threads on separate objects; const objects may be shared.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "heft/base/result.hpp"
#include "heft/solve/problem.hpp"
#include "heft/solve/solve.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// Solutions of all resamples.
struct Resampled {
  Eigen::MatrixXd x;         ///< parameters x resamples; NaN without a solution
  std::vector<bool> solved;  ///< whether the requested gap was reached
};

/// Returns whether solve_resampled() supports a problem: only bodies and signs, the metric prior,
/// the default method.
bool can_be_resampled(const Problem& whole, const SolveOptions& options);

/// Solves `whole` with resampled data: resample r contains block b `draws(b, r)` times. Runs in
/// lanes on `num_threads` threads, which do not change the results. Unsolved resamples, including
/// those without rows, are left to make_problem() and solve(). Errors: an unsupported problem,
/// blocks and draws that do not match; stopped().
Result<Resampled> solve_resampled(const Problem& whole, const std::vector<NormalEquations>& blocks,
                                  const Eigen::MatrixXi& draws, const SolveOptions& options = {},
                                  int num_threads = 1, const Progress& progress = {});

}  // namespace heft
#pragma GCC visibility pop
