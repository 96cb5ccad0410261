#include "solve/warm_solver.hpp"

#include <algorithm>

#include "lane_solver.hpp"
#include "packed_problem.hpp"

namespace heft {

namespace {

constexpr int kWarmSteps = 6;  // three or four suffice from a nearby solution

}  // namespace

struct WarmSolver::State {
  Problem problem;
  SolveOptions options;
  solver::PackedProblem packed;
  solver::PlainAnswer answer;
  std::unique_ptr<solver::PlainSolver> solver;
  Eigen::VectorXd y, x;
  bool is_warm = false;
};

WarmSolver::WarmSolver(std::unique_ptr<State> state) : state_(std::move(state)) {}
WarmSolver::WarmSolver(WarmSolver&&) noexcept = default;
WarmSolver& WarmSolver::operator=(WarmSolver&&) noexcept = default;
WarmSolver::~WarmSolver() = default;

Result<WarmSolver> WarmSolver::make(Problem problem, const SolveOptions& options) {
  HEFT_CHECK(validate(options));
  if (options.method != SolveMethod::automatic || !solver::is_plain(problem))
    return Error{"warm solver",
                 "supports only the semismooth Newton method, for problems with bodies, "
                 "signs and the metric prior",
                 "use solve()"};
  auto state = std::make_unique<State>();
  state->problem = std::move(problem);
  state->options = options;
  state->packed.lay_out(state->problem, options);
  state->solver = solver::lane_solver().alone(solver::plain_shape(state->problem));
  state->y.setZero(state->problem.num_variables());
  state->x = state->problem.x_offset;
  return WarmSolver(std::move(state));
}

Result<Done> WarmSolver::update(const NormalEquations& equations) {
  return state_->problem.update(equations);
}

bool WarmSolver::solve() {
  State& state = *state_;
  state.packed.lay_out(state.problem, state.options);
  int steps = 0;
  solver::PlainAnswer answer;
  // steps from an earlier solution may diverge; those from the unconstrained minimizer converge
  for (const bool is_warm : {state.is_warm, false}) {
    const solver::PlainProblem view = is_warm ? state.packed.warm_view() : state.packed.view();
    solver::PlainOptions options = solver::plain_options(state.options);
    if (is_warm) options.max_steps = std::min(options.max_steps, kWarmSteps);
    answer = state.packed.blank_answer();
    state.solver->solve(&view, 1, options, &answer);
    steps += answer.steps;
    if (answer.converged) break;
  }
  answer.steps = steps;
  state.is_warm = answer.converged;
  if (!answer.converged) return false;
  state.answer = answer;
  state.packed.put_point(state.y);
  state.x = state.problem.x_offset;
  state.x.noalias() += state.problem.T * state.y;
  return true;
}

const Problem& WarmSolver::problem() const {
  return state_->problem;
}
const Eigen::VectorXd& WarmSolver::parameters() const {
  return state_->x;
}
double WarmSolver::gap() const {
  return state_->answer.gap;
}
int WarmSolver::num_steps() const {
  return state_->answer.steps;
}
Solution WarmSolver::solution() const {
  return state_->packed.solution(state_->answer, state_->options);
}

}  // namespace heft
