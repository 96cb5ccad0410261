#include "packed_problem.hpp"

#include <algorithm>

#include "../extract.hpp"
#include "heft/core/inertia.hpp"

namespace heft::solver {

namespace {

constexpr double kResidualFloor = 1e-10;  // of tau'W tau, FORMULAS 2

SolveMethod method_of(const PlainAnswer& answer) {
  if (answer.newton_steps > 0) return SolveMethod::interior_point;
  if (answer.admm_iterations > 0) return SolveMethod::admm;
  return SolveMethod::semismooth_newton;
}

}  // namespace

bool is_plain(const Problem& problem) {
  return problem.prior.kind == PriorKind::metric && problem.has_orthonormal_rows &&
         problem.is_strongly_convex && problem.cone.num_psd6 == 0 && problem.physical.E.rows() == 0 &&
         problem.cone.size() > 0;
}

PlainShape plain_shape(const Problem& problem) {
  return {problem.num_variables(), problem.cone.size(), problem.cone.num_psd4};
}

void PackedProblem::lay_out(const Problem& problem, const SolveOptions& options) {
  problem_ = &problem;
  const int n = problem.num_variables(), m = problem.cone.size();
  order_.clear();
  conic_.assign(n, false);
  sign_.setOnes(n);
  for (int row = 0; row < m; ++row) {
    RowSparseMatrix::InnerIterator entry(problem.F, row);
    order_.push_back(static_cast<int>(entry.col()));
    sign_[row] = entry.value();
    conic_[entry.col()] = true;
  }
  for (int k = 0; k < n; ++k) {
    if (!conic_[k]) order_.push_back(k);
  }
  natural_ = (sign_.array() == 1).all() && std::is_sorted(order_.begin(), order_.end());
  shift_.setZero(n);
  shift_.head(m) = problem.g;

  c_.resize(n);
  start_.resize(n);
  for (int i = 0; i < n; ++i) {
    c_[i] = sign_[i] * problem.c[order_[i]];
    start_[i] = sign_[i] * problem.start[order_[i]] + shift_[i];
  }
  // data term = f - prior: w |z - z0|^2 of bodies, ridge / (2 (1 + ridge)) z^2 of columns at unit curvature
  weight_.resize(n);
  centre_ = start_;
  const int num_body = core::kNumParameters * problem.layout.num_bodies();
  for (int i = 0; i < n; ++i) {
    const bool body = order_[i] < num_body;
    weight_[i] = body ? problem.prior.weight_of(order_[i] / core::kNumParameters)
                      : 0.5 * problem.prior.ridge / (1 + problem.prior.ridge);
    if (!body) centre_[i] = shift_[i];
  }
  penalty_ = options.penalty_over_weight * problem.prior.weight;
  y_.resize(n);
  lambda_.resize(m);
}

PlainProblem PackedProblem::view() const {
  const double least_cost = std::max(kResidualFloor * problem_->data.tau2 / problem_->data.num_rows, 1e-300);
  return {problem_->Q.data(), order_.data(), sign_.data(),   natural_,       c_.data(),  shift_.data(),
          problem_->constant, start_.data(), weight_.data(), centre_.data(), least_cost, penalty_};
}

PlainAnswer PackedProblem::blank_answer() {
  PlainAnswer answer;
  answer.y = y_.data();
  answer.lambda = lambda_.data();
  return answer;
}

Solution PackedProblem::solution(const PlainAnswer& answer, const SolveOptions& options) const {
  Solution result;
  result.method = method_of(answer);
  result.iterations = answer.semismooth_steps + answer.admm_iterations + answer.newton_steps;
  // ADMM factors its matrix once; after the semismooth method, Q is factored again
  const bool others = answer.admm_iterations + answer.newton_steps > 0;
  result.factorizations =
      answer.semismooth_steps + others + (answer.admm_iterations > 0) + answer.newton_steps;
  result.status = answer.converged ? SolveStatus::optimal : SolveStatus::not_converged;
  result.y.resize(y_.size());
  for (Eigen::Index i = 0; i < y_.size(); ++i) result.y[order_[i]] = sign_[i] * (y_[i] - shift_[i]);
  result.lambda = lambda_;
  const IterationRecord record{result.iterations, answer.objective, answer.gap, 0, penalty_};
  result.history.push_back(record);
  conclude(*problem_, options, record, result);
  return result;
}

}  // namespace heft::solver
