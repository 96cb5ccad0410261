#include "duality.hpp"

#include <algorithm>
#include <cmath>

#include "cone.hpp"
#include "linalg/symmetric_eigen.hpp"

namespace heft::solver {

namespace {

constexpr double kTrustFactor = 10;

}  // namespace

GapBound::GapBound(const Problem& problem) : problem_(problem) {
  const Eigen::Index n = problem.num_variables();
  if (problem.is_strongly_convex) {
    factor_.compute(problem.Q);
  } else {
    const SymmetricEigen<Eigen::Dynamic> eigen(problem.Q);
    eigenvalues_ = eigen.eigenvalues().cwiseMax(0);
    eigenvectors_ = eigen.eigenvectors();
  }
  gradient_.resize(n);
  residual_.resize(n);
  scratch_.resize(n);
  x_.resize(problem.physical.size());
  Gx_.resize(problem.physical.num_parameters);
}

double GapBound::dual_loss(const Eigen::VectorXd& y) {
  if (problem_.is_strongly_convex) {
    scratch_ = residual_;
    factor_.matrixL().solveInPlace(scratch_);
    return 0.5 * scratch_.squaredNorm();
  }
  const double radius = kTrustFactor * std::max(1.0, y.norm());
  scratch_.noalias() = eigenvectors_.transpose() * residual_;
  double loss = 0;
  for (Eigen::Index k = 0; k < scratch_.size(); ++k) {
    const double r = std::abs(scratch_[k]), q = eigenvalues_[k];
    loss += r <= radius * q ? (q > 0 ? 0.5 * r * r / q : 0.0) : radius * (r - 0.5 * q * radius);
  }
  return loss;
}

Gap GapBound::evaluate(const Eigen::VectorXd& y, const Eigen::VectorXd& slack,
                       const Eigen::VectorXd& lambda) {
  gradient_.noalias() = problem_.Q.selfadjointView<Eigen::Lower>() * y;
  Gap result;
  result.primal = 0.5 * y.dot(gradient_) + problem_.c.dot(y) + problem_.constant;
  gradient_ += problem_.c;
  residual_.noalias() = problem_.F.transpose() * lambda;
  residual_ -= gradient_;
  result.gap = lambda.dot(slack) + dual_loss(y);

  const double w = problem_.barrier_weight;
  for (int block = 0; w > 0 && block < problem_.cone.num_psd4; ++block) {
    if (!problem_.has_barrier[block]) continue;
    const double log_det_slack = log_det(problem_.cone, block, slack);
    result.primal -= w * log_det_slack;
    result.gap -= w * (4 - 4 * std::log(w) + log_det_slack + log_det(problem_.cone, block, lambda));
  }

  if (result.gap < 0) result.gap = 0;  // of rounding
  const NormalEquations& data = problem_.data;
  const Eigen::Index P = problem_.physical.num_parameters;
  x_ = problem_.x_offset;
  x_.noalias() += problem_.T * y;
  Gx_.noalias() = data.G.selfadjointView<Eigen::Lower>() * x_.head(P);
  const double cost = x_.head(P).dot(Gx_) - 2 * data.b.dot(x_.head(P)) + data.tau2;
  result.residual_cost = std::max(cost, 0.0) / data.num_rows;
  const double unit = std::max(result.residual_cost, kResidualFloor * data.tau2 / data.num_rows);
  // without torques there is no residual cost for a relative gap
  result.relative = unit > 0 ? result.gap / unit : result.gap;
  return result;
}

}  // namespace heft::solver
