// What the prior decided, parameter by parameter.
#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "heft/error_bars.hpp"

namespace heft {

namespace {

using Matrix10 = Eigen::Matrix<double, core::kNumParameters, core::kNumParameters>;

/// Gram matrix of J -> U^-1 J U^-T over the ten parameters, U U' = J0: the metric prior's curvature at
/// weight 1.
Matrix10 metric_curvature(const BodyParameters& reference) {
  const Eigen::Matrix4d U = pseudo_inertia(reference).llt().matrixL();
  const Eigen::Matrix4d U_inverse = U.inverse();
  Eigen::Matrix<double, 16, core::kNumParameters> map;
  for (int k = 0; k < core::kNumParameters; ++k) {
    const Eigen::Matrix4d J = U_inverse * pseudo_inertia(BodyParameters::Unit(k)) * U_inverse.transpose();
    map.col(k) = J.reshaped();
  }
  return map.transpose() * map;
}

Matrix10 body_curvature(const Prior& prior, int body) {
  switch (prior.kind) {
    case PriorKind::metric:
      return prior.weight * metric_curvature(prior.references[body]);
    case PriorKind::entropic:  // tr(M X) - log det X bends half as much
      return 0.5 * prior.weight * metric_curvature(prior.references[body]);
    case PriorKind::euclidean:
      return prior.weight * Matrix10::Identity();
    case PriorKind::diagonal:
      return prior.weight * Matrix10(prior.diagonal[body].asDiagonal());
    case PriorKind::none:
      break;
  }
  return Matrix10::Zero();
}

}  // namespace

Result<Eigen::VectorXd> prior_shares(const ParameterLayout& layout, const NormalEquations& equations,
                                     const Prior& prior) {
  const int P = layout.num_parameters(), nb = layout.num_bodies();
  if (equations.G.rows() != P || equations.G.cols() != P || static_cast<int>(prior.references.size()) != nb ||
      static_cast<int>(prior.held.size()) != nb)
    return Error{"prior shares", "normal equations, prior and layout disagree in size",
                 "make all from one plan"};
  if (!equations.G.allFinite() || !(equations.num_rows > 0))
    return Error{"prior shares", "the normal equations are empty or not finite", "check the samples"};
  if (prior.kind == PriorKind::none) return Eigen::VectorXd(Eigen::VectorXd::Zero(P));

  const Eigen::MatrixXd data = equations.G / equations.num_rows;
  Eigen::MatrixXd W = Eigen::MatrixXd::Zero(P, P);
  for (int b = 0; b < nb; ++b)
    if (!prior.held[b])
      W.block<10, 10>(layout.index(b, core::kMass), layout.index(b, core::kMass)) = body_curvature(prior, b);
  for (int k = 0; k < layout.num_columns(); ++k) {
    const int index = layout.column_index(k);
    W(index, index) = prior.ridge * data(index, index);
  }

  // what the prior does not bend is a held body or a column without rows: it stays where it is
  std::vector<int> free;
  for (int k = 0; k < P; ++k)
    if (W(k, k) > 0) free.push_back(k);
  const Eigen::VectorXd scale = W(free, free).diagonal().cwiseSqrt().cwiseInverse();
  const auto size = static_cast<Eigen::Index>(free.size());
  const auto inverse = [&](const Eigen::MatrixXd& matrix) -> Eigen::MatrixXd {
    return (scale.asDiagonal() * matrix * scale.asDiagonal())
        .eval()
        .llt()
        .solve(Eigen::MatrixXd::Identity(size, size));
  };
  const Eigen::MatrixXd alone = W(free, free), together = data(free, free) + alone;
  const Eigen::VectorXd ratio = inverse(together).diagonal().cwiseQuotient(inverse(alone).diagonal());
  if (!ratio.allFinite())
    return Error{"prior shares", "the prior is not positive definite", "check the reference inertias"};

  Eigen::VectorXd shares = Eigen::VectorXd::Ones(P);
  for (Eigen::Index i = 0; i < size; ++i) shares[free[i]] = std::clamp(ratio[i], 0.0, 1.0);
  return shares;
}

}  // namespace heft
