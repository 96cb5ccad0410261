#include "packed_problem.hpp"

#include <algorithm>

#include "../duality.hpp"
#include "../extract.hpp"
#include "heft/core/inertia.hpp"
#include "solve/prior_term.hpp"

namespace heft::solver {

namespace {

// of the ridge on a column, in its scaled unit
double ridge_curvature(const Problem& problem, int k) {
  const double scale = problem.S.coeff(k, k);
  return problem.prior.ridge * problem.data.G(k, k) / problem.data.num_rows * scale * scale;
}

}  // namespace

bool is_plain(const Problem& problem) {
  return prior_term(problem.prior.kind).is_distance() && problem.has_orthonormal_rows &&
         problem.is_strongly_convex && problem.cone.num_psd6 == 0 &&
         problem.cone.second_order.empty() && problem.physical.E.rows() == 0 &&
         problem.cone.size() > 0;
}

PlainOptions plain_options(const SolveOptions& options) {
  PlainOptions plain{.gap_tolerance = options.gap_tolerance};
  if (options.max_iterations > 0) plain.max_steps = options.max_iterations;
  return plain;
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
  for (int i = 0; i < n; ++i) c_[i] = sign_[i] * problem.c[order_[i]];
  // data term = f - prior: w |z - z0|^2 of bodies, ridge G_kk / N x_k^2 of columns
  weight_.resize(n);
  center_.resize(n);
  const int num_body = core::kNumParameters * problem.layout.num_bodies();
  for (int i = 0; i < n; ++i) {
    const bool body = order_[i] < num_body;
    weight_[i] = body ? problem.prior.weight_of(order_[i] / core::kNumParameters)
                      : ridge_curvature(problem, order_[i]);
    center_[i] = body ? sign_[i] * problem.start[order_[i]] + shift_[i] : shift_[i];
  }
  penalty_ = options.penalty_over_weight * problem.prior.weight;
  y_.resize(n);
  lambda_.resize(m);
}

PlainProblem PackedProblem::view() const {
  const double least_cost =
      std::max(kResidualFloor * problem_->data.tau2 / problem_->data.num_rows, 1e-300);
  return {problem_->Q.data(), order_.data(),  sign_.data(),   natural_,   c_.data(), shift_.data(),
          problem_->constant, weight_.data(), center_.data(), least_cost, penalty_};
}

PlainProblem PackedProblem::warm_view() const {
  PlainProblem problem = view();
  problem.warm_lambda = lambda_.data();
  return problem;
}

PlainAnswer PackedProblem::blank_answer() {
  PlainAnswer answer;
  answer.y = y_.data();
  answer.lambda = lambda_.data();
  return answer;
}

void PackedProblem::put_point(Eigen::VectorXd& y) const {
  y.resize(y_.size());
  for (Eigen::Index i = 0; i < y_.size(); ++i) y[order_[i]] = sign_[i] * (y_[i] - shift_[i]);
}

Solution PackedProblem::solution(const PlainAnswer& answer, const SolveOptions& options) const {
  Solution result;
  result.method = SolveMethod::semismooth_newton;
  result.iterations = result.factorizations = answer.steps;
  result.status = answer.converged ? SolveStatus::optimal : SolveStatus::not_converged;
  put_point(result.y);
  result.lambda = lambda_;
  const IterationRecord record{result.iterations, answer.objective, answer.gap, 0, penalty_};
  result.history.push_back(record);
  conclude(*problem_, options, record, result);
  return result;
}

}  // namespace heft::solver
