#include "solve_plain.hpp"

#include "base/widest.hpp"
#include "lane_solver.hpp"
#include "packed_problem.hpp"

namespace heft::solver {

const LaneSolver& lane_solver() {
  return widest(kLaneSolverAvx512, kLaneSolverAvx2, kLaneSolverBaseline);
}

Solution solve_plain(const Problem& problem, const SolveOptions& options) {
  PackedProblem packed;
  packed.lay_out(problem, options);
  const PlainProblem view = packed.view();
  PlainAnswer answer = packed.blank_answer();
  lane_solver().alone(plain_shape(problem))->solve(&view, 1, plain_options(options), &answer);
  return answer.converged ? packed.solution(answer, options) : Solution{};
}

}  // namespace heft::solver
