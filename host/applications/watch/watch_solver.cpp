#include "watch_solver.hpp"

namespace heft::watch {

namespace {

constexpr double kGrowth = 4;  // of the number of rows, after which scales are recomputed

}  // namespace

WatchSolver::WatchSolver(const WatchModel& model) : model_(model) {
  channel_weights_ =
      model.residual_rms.unaryExpr([](double rms) { return rms > 0 ? 1 / (rms * rms) : 0.0; });
  if ((channel_weights_.array() == 0).all()) channel_weights_.setOnes();
}

bool WatchSolver::make(const NormalEquations& equations) {
  auto problem =
      make_problem(model_.model.plan->layout, equations, model_.prior, model_.constraints);
  if (!problem) return false;
  warm_.reset(), problem_.reset();
  rows_at_make_ = equations.num_rows;
  if (auto warm = WarmSolver::make(*problem, model_.solve))
    warm_.emplace(std::move(*warm));
  else
    problem_.emplace(std::move(*problem));
  return true;
}

bool WatchSolver::solve(const Moments& moments, WatchAnswer& answer) {
  const NormalEquations equations = normal_equations(moments, channel_weights_);
  if (!(equations.num_rows > 0)) return false;
  const bool is_stale =
      equations.num_rows > kGrowth * rows_at_make_ || kGrowth * equations.num_rows < rows_at_make_;
  const bool is_updated = !is_stale && warm_ && warm_->update(equations);
  if (!is_updated && !make(equations)) return false;
  Solution solution;
  if (warm_ && warm_->solve()) {
    solution = warm_->solution();
  } else {
    const auto solved = heft::solve(warm_ ? warm_->problem() : *problem_, model_.solve);
    if (!solved || solved->x.size() == 0) return false;
    solution = *solved;
  }
  const Certificate certificate = certify(warm_ ? warm_->problem() : *problem_, solution);
  answer.certified = certificate.certified;
  answer.gap = certificate.gap;
  answer.parameters = solution.x.head(model_.model.plan->layout.num_parameters());
  return true;
}

}  // namespace heft::watch
