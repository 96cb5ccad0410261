#include "heft/least_squares.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <cmath>
#include <string>

#include "heft/robot.hpp"

namespace heft {

namespace {

// 1 / sqrt of the diagonal; columns that no row touches keep scale 0 and so drop out
Eigen::VectorXd column_scale(const Eigen::MatrixXd& G) {
  return G.diagonal().unaryExpr([](double d) { return d > 0 ? 1 / std::sqrt(d) : 0.0; });
}

std::string size_text(Eigen::Index rows, Eigen::Index columns) {
  return std::to_string(rows) + " x " + std::to_string(columns);
}

}  // namespace

Result<Done> validate(const NormalEquations& equations, int num_parameters, const char* where) {
  const Eigen::MatrixXd& G = equations.G;
  if (G.rows() != num_parameters || G.cols() != num_parameters || equations.b.size() != num_parameters) {
    return Error{where,
                 "normal equations of size " + size_text(G.rows(), G.cols()) + " for " +
                     std::to_string(num_parameters) + " parameters",
                 "build them with the same parameter layout"};
  }
  if (!G.allFinite() || !equations.b.allFinite() || !std::isfinite(equations.tau2)) {
    return Error{where, "normal equations contain NaN or infinity",
                 "check the samples they were summed from"};
  }
  if (!(equations.num_rows > 0))
    return Error{where, "normal equations of no rows", "use at least one sample"};
  if (!(equations.tau2 >= 0))
    return Error{where, "the sum of squared torques is negative", "check the weights"};
  if (G.size() == 0) return Done{};

  const Eigen::VectorXd scale = column_scale(G);
  const Eigen::MatrixXd scaled = scale.asDiagonal() * G * scale.asDiagonal();
  const double asymmetry = (scaled - scaled.transpose()).cwiseAbs().maxCoeff();
  if (!(asymmetry <= 1e-9)) return Error{where, "the normal matrix is not symmetric", "fill both triangles"};

  // a Gram matrix has eigenvalues >= -P eps after rounding; a generous shift must make it positive definite
  const double shift = 1e-9 * static_cast<double>(num_parameters);
  const Eigen::MatrixXd shifted = scaled + shift * Eigen::MatrixXd::Identity(num_parameters, num_parameters);
  if (!(G.diagonal().minCoeff() >= 0) || Eigen::LLT<Eigen::MatrixXd>(shifted).info() != Eigen::Success) {
    return Error{where, "the normal matrix is not positive semidefinite",
                 "no data can produce it: check signs of weights and merges"};
  }
  return Done{};
}

Result<LeastSquares> least_squares(const ParameterLayout& layout, const NormalEquations& equations,
                                   const LeastSquaresOptions& options) {
  HEFT_CHECK(validate(equations, layout.num_parameters(), "least squares"));

  const Eigen::VectorXd scale = column_scale(equations.G);
  const Eigen::MatrixXd scaled = scale.asDiagonal() * equations.G * scale.asDiagonal();
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(scaled);
  const Eigen::VectorXd& values = eigen.eigenvalues();  // squares of singular values, ascending
  const double largest = values.size() > 0 ? values[values.size() - 1] : 0;

  LeastSquares answer;
  Eigen::VectorXd weights = eigen.eigenvectors().transpose() * (scale.asDiagonal() * equations.b);
  double smallest = largest;
  for (Eigen::Index k = 0; k < values.size(); ++k) {
    if (values[k] > options.rank_cut * options.rank_cut * largest && values[k] > 0) {
      weights[k] /= values[k];
      smallest = std::min(smallest, values[k]);
      ++answer.rank;
    } else {
      weights[k] = 0;
    }
  }
  answer.x = scale.asDiagonal() * (eigen.eigenvectors() * weights);
  answer.condition = answer.rank > 0 ? std::sqrt(largest / smallest) : 0;
  answer.residual_cost = equations.residual_cost(answer.x);

  for (int body = 0; body < layout.num_bodies(); ++body) {
    const BodyParameters parameters = answer.x.segment<core::kNumParameters>(layout.index(body, core::kMass));
    if (Eigen::LLT<Eigen::Matrix4d>(pseudo_inertia(parameters)).info() != Eigen::Success) {
      answer.impossible_bodies.push_back(body);
    }
  }
  return answer;
}

}  // namespace heft
