// Many problems at once: cross-validation, bootstrap, fleets, hypotheses. One SIMD lane is one problem, or on a GPU one
// block of threads.
#pragma once

#include <vector>

#include "heft/backend.hpp"
#include "heft/problem.hpp"
#include "heft/solve.hpp"

namespace heft {

struct BatchOptions {
  SolveOptions solve;
  int num_threads = 1;  ///< of the host
  /// cuda never falls back; automatic takes the GPU if there is one and the lanes otherwise.
  BackendKind backend = BackendKind::cpu;
};

/// Solutions in the order of the problems. Plain problems with the metric prior (bodies and signs only,
/// strongly convex) run in lanes, eight on AVX-512 and four on AVX2, grouped by shape; the rest, and lanes
/// that do not converge, through solve(). SolveMethod::automatic runs a semismooth Newton method of its own, which
/// starts at the least of the objective without its cone, and leaves what that does not finish to the interior
/// point method. A GPU knows the semismooth method alone, and leaves what that does not finish to solve(). Neither the
/// number of threads nor a problem's neighbours change its answer, except that instruction sets differ in the last
/// bits. Fails on options that make no sense, and with BackendKind::cuda where there is no device or another method is
/// asked for.
Result<std::vector<Solution>> solve_batch(const std::vector<Problem>& problems,
                                          const BatchOptions& options = {});

/// "AVX-512", "AVX2" or "baseline": what solve_batch runs on here.
const char* batch_instruction_set();

}  // namespace heft
