#include "heft/solve.hpp"

#include "host/solve/admm.hpp"

namespace heft {

Result<Solution> solve(const Problem& problem, const SolveOptions& options) {
  return solver::solve_admm(problem, options);
}

}  // namespace heft
