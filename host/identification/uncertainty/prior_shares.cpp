// Computes the share of the prior in every parameter.
#include <algorithm>
#include <cmath>

#include "heft/uncertainty/uncertainty.hpp"
#include "linalg/factorizations.hpp"
#include "solve/prior_term.hpp"

namespace heft {

namespace {

using Matrix10 = PriorTerm::Matrix10d;

Matrix10 belief_curvature(const Prior& prior, int body) {
  if (prior.bodies.empty()) return Matrix10::Zero();
  return prior.bodies[static_cast<std::size_t>(body)].weight *
         metric_curvature(prior.references[body]);
}

/// Data and prior as quadratics about the prior, over the parameters with prior curvature; the
/// others (held bodies, columns without rows) are fixed.
struct Curvatures {
  std::vector<int> free;
  Eigen::VectorXd scale;        ///< makes the diagonal of the prior's curvature one
  Eigen::MatrixXd prior, both;  ///< of the free parameters, scaled
};

Result<Curvatures> curvatures(const ParameterLayout& layout, const NormalEquations& equations,
                              const Prior& prior) {
  const int P = layout.num_parameters(), nb = layout.num_bodies();
  if (equations.G.rows() != P || equations.G.cols() != P ||
      static_cast<int>(prior.references.size()) != nb || static_cast<int>(prior.held.size()) != nb)
    return Error{"prior shares", "normal equations, prior and layout have different sizes",
                 "compute all of them from one plan"};
  if (!equations.G.allFinite() || !(equations.num_rows > 0))
    return Error{"prior shares", "the normal equations are empty or not finite",
                 "check the samples"};

  const Eigen::MatrixXd data = equations.G / equations.num_rows;
  Eigen::MatrixXd W = Eigen::MatrixXd::Zero(P, P);
  for (int b = 0; b < nb; ++b)
    if (!prior.held[b])
      W.block<10, 10>(layout.index(b, core::kMass), layout.index(b, core::kMass)) =
          prior_term(prior.kind).curvature(prior, b) + belief_curvature(prior, b);
  for (int k = 0; k < layout.num_columns(); ++k) {
    const int index = layout.column_index(k);
    const double belief =
        prior.columns.empty() ? 0 : prior.columns[static_cast<std::size_t>(k)].weight;
    W(index, index) = prior.ridge * data(index, index) + belief;
  }
  Curvatures result;
  for (int k = 0; k < P; ++k)
    if (W(k, k) > 0) result.free.push_back(k);
  result.scale = W(result.free, result.free).diagonal().cwiseSqrt().cwiseInverse();
  const auto S = result.scale.asDiagonal();
  result.prior = S * W(result.free, result.free) * S;
  result.both = result.prior + S * data(result.free, result.free) * S;
  return result;
}

Eigen::MatrixXd inverse(const Eigen::MatrixXd& matrix) {
  return matrix.llt().solve(Eigen::MatrixXd::Identity(matrix.rows(), matrix.cols()));
}

const Error kNotDefinite{"prior shares", "the prior is not positive definite",
                         "check the reference inertias"};

}  // namespace

Result<Eigen::VectorXd> prior_shares(const ParameterLayout& layout,
                                     const NormalEquations& equations, const Prior& prior) {
  HEFT_TRY(curvature, curvatures(layout, equations, prior));
  if (!prior.has_weight()) return Eigen::VectorXd(Eigen::VectorXd::Zero(layout.num_parameters()));
  const Eigen::VectorXd ratio =
      inverse(curvature.both).diagonal().cwiseQuotient(inverse(curvature.prior).diagonal());
  if (!ratio.allFinite()) return kNotDefinite;
  Eigen::VectorXd shares = Eigen::VectorXd::Ones(layout.num_parameters());
  for (std::size_t i = 0; i < curvature.free.size(); ++i)
    shares[curvature.free[i]] = std::clamp(ratio[static_cast<Eigen::Index>(i)], 0.0, 1.0);
  return shares;
}

namespace {

/// How an error of the prior moves the estimate, over the free parameters, scaled.
struct PriorError {
  double variance = 0;  ///< v: the error has the covariance v W^-1
  Eigen::MatrixXd S, spread;
};

PriorError prior_error(const ParameterLayout& layout, const Curvatures& curvature,
                       const Prior& prior, const Eigen::VectorXd& parameters) {
  Eigen::VectorXd away = parameters;  // from the prior; columns have theirs at zero where nothing
                                      // is believed of them
  for (std::size_t k = 0; k < prior.columns.size(); ++k)
    away[layout.column_index(static_cast<int>(k))] -= prior.columns[k].value;
  for (int b = 0; b < layout.num_bodies(); ++b)
    away.segment<core::kNumParameters>(layout.index(b, core::kMass)) -= prior.references[b];

  // of inertias only: prior knowledge of friction is not comparable with that of bodies
  const auto num_inertial = std::count_if(curvature.free.begin(), curvature.free.end(),
                                          [&](int k) { return k < layout.column_index(0); });
  const Eigen::VectorXd scaled = away(curvature.free).cwiseQuotient(curvature.scale);
  const Eigen::MatrixXd& W = curvature.prior;
  PriorError error{.S = curvature.both.llt().solve(W), .spread = inverse(W)};
  const Eigen::MatrixXd seen = Eigen::MatrixXd::Identity(error.S.rows(), error.S.cols()) - error.S;
  const Eigen::MatrixXd expected = seen * error.spread * seen.transpose();
  const auto inertial = Eigen::seqN(0, num_inertial);
  error.variance = scaled(inertial).dot(W(inertial, inertial) * scaled(inertial)) /
                   (W(inertial, inertial) * expected(inertial, inertial)).trace();
  return error;
}

}  // namespace

Result<Eigen::VectorXd> prior_pull(const ParameterLayout& layout, const NormalEquations& equations,
                                   const Prior& prior, const Eigen::VectorXd& parameters) {
  HEFT_TRY(curvature, curvatures(layout, equations, prior));
  Eigen::VectorXd pull = Eigen::VectorXd::Zero(layout.num_parameters());
  if (!prior.has_weight()) return pull;
  const PriorError error = prior_error(layout, curvature, prior, parameters);
  const Eigen::VectorXd bias2 =
      error.variance * (error.S * error.spread * error.S.transpose()).diagonal();
  if (!bias2.allFinite()) return kNotDefinite;
  for (std::size_t i = 0; i < curvature.free.size(); ++i) {
    const auto k = static_cast<Eigen::Index>(i);
    pull[curvature.free[i]] = curvature.scale[k] * std::sqrt(std::max(0.0, bias2[k]));
  }
  return pull;
}

Result<PriorOfFunctions> prior_of_functions(const ParameterLayout& layout,
                                            const NormalEquations& equations, const Prior& prior,
                                            const Eigen::VectorXd& parameters,
                                            const Eigen::MatrixXd& rows) {
  HEFT_TRY(curvature, curvatures(layout, equations, prior));
  PriorOfFunctions result{Eigen::VectorXd::Zero(rows.rows()), Eigen::VectorXd::Zero(rows.rows())};
  if (!prior.has_weight()) return result;
  const Eigen::MatrixXd scaled = rows(Eigen::all, curvature.free) * curvature.scale.asDiagonal();
  const PriorError error = prior_error(layout, curvature, prior, parameters);
  const Eigen::MatrixXd both = inverse(curvature.both);
  for (Eigen::Index k = 0; k < rows.rows(); ++k) {
    const Eigen::VectorXd c = scaled.row(k).transpose(), moved = error.S.transpose() * c;
    const double before = c.dot(error.spread * c);
    // a function of held parameters only is the prior's
    result.shares[k] = before > 0 ? std::clamp(c.dot(both * c) / before, 0.0, 1.0) : 1;
    result.pulls[k] = std::sqrt(std::max(0.0, error.variance * moved.dot(error.spread * moved)));
  }
  if (!result.shares.allFinite() || !result.pulls.allFinite()) return kNotDefinite;
  return result;
}

}  // namespace heft
