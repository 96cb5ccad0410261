#include "heft/solve/least_squares.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "batch/lane_solver.hpp"
#include "heft/model/robot.hpp"
#include "linalg/factorizations.hpp"
#include "linalg/is_finite.hpp"
#include "linalg/minimum_norm.hpp"
#include "linalg/symmetric_eigen.hpp"
#include "solve/wide_product.hpp"
#include "svec.hpp"

namespace heft {

namespace {

// 1 / sqrt of the diagonal; columns that no row touches keep scale 0 and so drop out
Eigen::VectorXd column_scale(const Eigen::MatrixXd& G) {
  return G.diagonal().unaryExpr([](double d) { return d > 0 ? 1 / std::sqrt(d) : 0.0; });
}

// The same without columns that are structurally zero up to the rounding of URDF angles: scaling
// would amplify their noise to a spurious direction. Compares norms among columns of one unit.
Eigen::VectorXd significant_column_scale(const Eigen::MatrixXd& G, const ParameterLayout& layout) {
  constexpr double kNoise = 1e-9;
  std::map<std::string, double> largest;
  for (Eigen::Index p = 0; p < G.rows(); ++p) {
    double& norm = largest[layout.unit(static_cast<int>(p))];
    norm = std::max(norm, std::sqrt(std::max(0.0, G(p, p))));
  }
  Eigen::VectorXd scale = column_scale(G);
  for (Eigen::Index p = 0; p < G.rows(); ++p)
    if (scale[p] * kNoise * largest[layout.unit(static_cast<int>(p))] > 1) scale[p] = 0;
  return scale;
}

std::vector<int> impossible_bodies_of(const Eigen::VectorXd& x, const ParameterLayout& layout) {
  std::vector<int> impossible;
  for (int body = 0; body < layout.num_bodies(); ++body) {
    const BodyParameters parameters =
        x.segment<core::kNumParameters>(layout.index(body, core::kMass));
    if (Eigen::LLT<Eigen::Matrix4d>(pseudo_inertia(parameters)).info() != Eigen::Success)
      impossible.push_back(body);
  }
  return impossible;
}

// L L' of a positive semidefinite matrix, whose rows and columns `order` sorts by largest
// remainder.
struct PivotedFactor {
  Eigen::VectorXi order;
  Eigen::MatrixXd L;  // P x P, the first `rank` columns filled
  Eigen::Index rank = 0;
  double left = 0;  // absolute sum of the diagonal that remains
};

// Ends at `most` columns, or as soon as every remaining diagonal entry is at most `cut`.
PivotedFactor pivoted_cholesky(const Eigen::MatrixXd& A, double cut, Eigen::Index most) {
  const Eigen::Index P = A.rows();
  PivotedFactor factor{Eigen::VectorXi::LinSpaced(P, 0, static_cast<int>(P) - 1),
                       Eigen::MatrixXd::Zero(P, P)};
  auto& [order, L, rank, sum_left] = factor;
  Eigen::VectorXd left = A.diagonal();  // of every column's square
  for (; rank < most; ++rank) {
    Eigen::Index next = 0;
    if (!(left.tail(P - rank).maxCoeff(&next) > cut)) break;
    next += rank;
    std::swap(order[rank], order[next]);
    std::swap(left[rank], left[next]);
    L.row(rank).head(rank).swap(L.row(next).head(rank));
    L(rank, rank) = std::sqrt(left[rank]);
    const Eigen::Index num_below = P - rank - 1;
    auto below = L.col(rank).tail(num_below);
    below = A.col(order[rank])(order.tail(num_below));
    below.noalias() -= L.block(rank + 1, 0, num_below, rank) * L.row(rank).head(rank).transpose();
    below /= L(rank, rank);
    left.tail(num_below).array() -= below.array().square();
  }
  sum_left = left.tail(P - rank).cwiseAbs().sum();
  return factor;
}

constexpr double kRounding = 1e-7;  // of the smallest eigenvalue that is kept

// Eigenvalues above the cut.
struct Spectrum {
  Eigen::Index rank = 0;
  double largest = 0, smallest = 0;
};

// That of a matrix with many eigenvalues that are rounding, from the smaller L'L; empty unless
// those that are left out are below `cut` of the largest, and the others clearly above.
std::optional<Spectrum> spectrum_by_pivots(const PivotedFactor& factor, double cut) {
  constexpr double kClearly = 1e3;
  constexpr double kWorthIt = 0.9;  // the time of eigenvalues goes with the cube of the size
  const Eigen::Index rank = factor.rank;
  if (rank == 0 || static_cast<double>(rank) > kWorthIt * static_cast<double>(factor.L.rows()))
    return {};
  const auto L = factor.L.leftCols(rank);
  const SymmetricEigen<Eigen::Dynamic> eigen(wide_product(RowMajorMatrix(L), L),
                                             Eigen::EigenvaluesOnly);
  const double smallest = eigen.eigenvalues()[0], largest = eigen.eigenvalues()[rank - 1];
  // no eigenvalue that is left out is more than the sum of all
  const bool is_clear = smallest > kClearly * cut * largest &&
                        factor.left <= std::min(cut * largest, kRounding * smallest);
  if (!is_clear) return {};
  return Spectrum{rank, largest, smallest};
}

Spectrum spectrum_of(const Eigen::VectorXd& values, double cut) {
  const double largest = values.size() > 0 ? values[values.size() - 1] : 0;
  const Eigen::Index rank = std::count_if(values.begin(), values.end(), [&](double value) {
    return value > cut * largest && value > 0;
  });
  return {rank, largest, rank > 0 ? values[values.size() - rank] : largest};
}

// A minimum-norm solution of A x = b, and an orthonormal basis of the directions without
// information.
struct MinimumNorm {
  Eigen::VectorXd x;
  Eigen::MatrixXd unseen;
};

// For a matrix whose smaller eigenvalues are rounding: P' A P = [L1; L2] [L1; L2]', so that the
// columns of P [-L1^-T L2'; I] span the unseen directions. Empty if A has a smaller rank.
std::optional<MinimumNorm> solve_by_pivots(const PivotedFactor& pivoted, const Eigen::VectorXd& b,
                                           Eigen::Index rank) {
  const Eigen::Index P = b.size(), num_unseen = P - rank;
  if (pivoted.rank < rank) return {};
  const auto L1 = pivoted.L.topLeftCorner(rank, rank).triangularView<Eigen::Lower>();
  const Eigen::VectorXi taken = pivoted.order.head(rank), others = pivoted.order.tail(num_unseen);
  Eigen::VectorXd z = b(taken);
  L1.solveInPlace(z);
  L1.transpose().solveInPlace(z);
  MinimumNorm result{Eigen::VectorXd::Zero(P), Eigen::MatrixXd::Zero(P, num_unseen)};
  result.x(taken) = z;
  if (num_unseen == 0) return result;
  Eigen::MatrixXd along = -pivoted.L.block(rank, 0, num_unseen, rank).transpose();
  L1.transpose().solveInPlace(along);
  result.unseen(taken, Eigen::all) = along;
  for (Eigen::Index k = 0; k < num_unseen; ++k) result.unseen(others[k], k) = 1;
  const Eigen::HouseholderQR<Eigen::MatrixXd> qr(result.unseen);
  result.unseen = qr.householderQ() * Eigen::MatrixXd::Identity(P, num_unseen);
  result.x -= result.unseen * (result.unseen.transpose() * result.x);
  return result;
}

MinimumNorm solve_by_eigenvectors(const Eigen::MatrixXd& A, const Eigen::VectorXd& b,
                                  Eigen::Index rank) {
  const SymmetricEigen<Eigen::Dynamic> eigen(A);
  const Eigen::MatrixXd& vectors = eigen.eigenvectors();
  const Eigen::VectorXd along = vectors.rightCols(rank).transpose() * b;
  return {vectors.rightCols(rank) * along.cwiseQuotient(eigen.eigenvalues().tail(rank)),
          vectors.leftCols(A.rows() - rank)};
}

std::string size_text(Eigen::Index rows, Eigen::Index columns) {
  return std::to_string(rows) + " x " + std::to_string(columns);
}

}  // namespace

Result<Done> validate_entries(const NormalEquations& equations, int num_parameters,
                              const char* where) {
  const Eigen::MatrixXd& G = equations.G;
  if (G.rows() != num_parameters || G.cols() != num_parameters ||
      equations.b.size() != num_parameters) {
    return Error{where,
                 "normal equations of size " + size_text(G.rows(), G.cols()) + " for " +
                     std::to_string(num_parameters) + " parameters",
                 "build them with the same parameter layout"};
  }
  if (!is_finite(G) || !is_finite(equations.b) || !std::isfinite(equations.tau2)) {
    return Error{where, "normal equations contain NaN or infinity",
                 "check the samples from which they were accumulated"};
  }
  if (!(equations.num_rows > 0))
    return Error{where, "normal equations have no rows", "use at least one sample"};
  if (!(equations.tau2 >= 0))
    return Error{where, "the sum of squared torques is negative", "check the weights"};
  for (Eigen::Index j = 0; j < G.cols(); ++j) {
    for (Eigen::Index i = 0; i < j; ++i) {
      const double difference = std::abs(G(i, j) - G(j, i));
      if (difference == 0) continue;  // nearly always
      const double size = std::sqrt(std::max(G(i, i), 0.0)) * std::sqrt(std::max(G(j, j), 0.0));
      if (size > 0 && !(difference <= 1e-9 * size))
        return Error{where, "the normal matrix is not symmetric", "fill both triangles"};
    }
  }
  return Done{};
}

Result<Done> validate(const NormalEquations& equations, int num_parameters, const char* where) {
  HEFT_CHECK(validate_entries(equations, num_parameters, where));
  const Eigen::MatrixXd& G = equations.G;
  if (G.size() == 0) return Done{};

  const Eigen::VectorXd scale = column_scale(G);
  // a Gram matrix has eigenvalues >= -P eps after rounding, relative to its columns and, where
  // regrouping cancels them, to the largest; a generous shift must make it positive definite
  const double shift = 1e-9 * static_cast<double>(num_parameters);
  const double rounding = std::numeric_limits<double>::epsilon() * G.diagonal().maxCoeff();
  Eigen::MatrixXd shifted(G.rows(), G.cols());
  for (Eigen::Index column = 0; column < G.cols(); ++column)
    shifted.col(column) = scale.cwiseProduct(G.col(column)) * scale[column];
  shifted.diagonal().array() += num_parameters * rounding * scale.array().square() + shift;
  if (!(G.diagonal().minCoeff() >= -rounding) ||
      !solver::lane_solver().is_positive_definite(shifted.data(), shifted.outerStride(),
                                                  static_cast<int>(shifted.rows()))) {
    return Error{where, "the normal matrix is not positive semidefinite",
                 "check the signs of weights and merges: valid samples never cause this"};
  }
  return Done{};
}

Result<LeastSquares> least_squares(const ParameterLayout& layout, const NormalEquations& equations,
                                   const LeastSquaresOptions& options) {
  HEFT_CHECK(validate(equations, layout.num_parameters(), "least squares"));

  const Eigen::VectorXd scale = significant_column_scale(equations.G, layout);
  const Eigen::MatrixXd scaled = scale.asDiagonal() * equations.G * scale.asDiagonal();
  const Eigen::VectorXd right = scale.asDiagonal() * equations.b;
  // eigenvalues are squares of singular values
  const double cut = options.rank_cut * options.rank_cut;
  // more than pivots of rounding, less than others
  const double least =
      4 * std::numeric_limits<double>::epsilon() * static_cast<double>(scale.size());

  // eigenvalues take longer than pivots, and eigenvectors three times as long as eigenvalues;
  // pivots find the same directions if no real information is left out
  std::optional<MinimumNorm> solved;
  const PivotedFactor pivoted = pivoted_cholesky(scaled, least, scale.size());
  std::optional<Spectrum> spectrum = spectrum_by_pivots(pivoted, cut);
  if (spectrum) {
    solved = solve_by_pivots(pivoted, right, spectrum->rank);
  } else {
    const Eigen::VectorXd values =
        SymmetricEigen<Eigen::Dynamic>(scaled, Eigen::EigenvaluesOnly).eigenvalues();
    spectrum = spectrum_of(values, cut);
    const Eigen::Index num_unseen = values.size() - spectrum->rank;
    if (num_unseen == 0 || std::abs(values[num_unseen - 1]) <= kRounding * spectrum->smallest)
      solved = solve_by_pivots(pivoted_cholesky(scaled, 0, spectrum->rank), right, spectrum->rank);
  }
  LeastSquares answer;
  answer.rank = static_cast<int>(spectrum->rank);
  answer.condition = answer.rank > 0 ? std::sqrt(spectrum->largest / spectrum->smallest) : 0;
  if (!solved) solved = solve_by_eigenvectors(scaled, right, spectrum->rank);
  answer.x = scale.asDiagonal() * solved->x;
  answer.residual_cost = equations.residual_cost(answer.x);

  answer.impossible_bodies = impossible_bodies_of(answer.x, layout);

  // a dropped column is open by itself
  const Eigen::VectorXd unscale = scale.unaryExpr([](double s) { return s > 0 ? s : 1.0; });
  answer.unseen = unscale.asDiagonal() * solved->unseen;
  return answer;
}

Result<Eigen::VectorXd> basic_solution(const ParameterLayout& layout,
                                       const NormalEquations& equations,
                                       const LeastSquaresOptions& options) {
  HEFT_CHECK(validate_entries(equations, layout.num_parameters(), "least squares"));
  const Eigen::Index P = equations.G.rows();
  const Eigen::VectorXd scale = significant_column_scale(equations.G, layout);
  const Eigen::MatrixXd scaled = scale.asDiagonal() * equations.G * scale.asDiagonal();
  // as for eigenvalues, whose sum is at most P: below a few eps of it, only rounding remains
  const double cut = static_cast<double>(P) * std::max(options.rank_cut * options.rank_cut,
                                                       4 * std::numeric_limits<double>::epsilon());
  const auto [order, L, rank, left] = pivoted_cholesky(scaled, cut, P);
  const Eigen::VectorXi taken = order.head(rank);
  Eigen::VectorXd z = (scale.asDiagonal() * equations.b).eval()(taken);
  const auto factor = L.topLeftCorner(rank, rank).triangularView<Eigen::Lower>();
  factor.solveInPlace(z);
  factor.transpose().solveInPlace(z);
  Eigen::VectorXd x = Eigen::VectorXd::Zero(P);
  x(taken) = z.cwiseProduct(scale(taken));
  return x;
}

void move_to_prior(LeastSquares& fit, const ParameterLayout& layout,
                   const NormalEquations& equations, const Prior& prior) {
  if (fit.unseen.cols() == 0) return;
  // B x - t: how far x is from the prior, in pure numbers
  const int num_bodies = layout.num_bodies();
  Eigen::MatrixXd B = Eigen::MatrixXd::Zero(layout.num_parameters(), layout.num_parameters());
  Eigen::VectorXd t = Eigen::VectorXd::Zero(layout.num_parameters());
  for (int body = 0; body < num_bodies; ++body) {
    const int first = layout.index(body, core::kMass);
    const Eigen::LLT<Eigen::Matrix4d> factor(pseudo_inertia(prior.references[body]));
    if (factor.info() != Eigen::Success) {  // held: any measure will do
      B.block<10, 10>(first, first).setIdentity();
      continue;
    }
    const Eigen::Matrix4d inverse = factor.matrixL().solve(Eigen::Matrix4d::Identity());
    for (int k = 0; k < core::kNumParameters; ++k)
      B.block<10, 1>(first, first + k) =
          solver::svec<4>(inverse * pseudo_inertia(BodyParameters::Unit(k)) * inverse.transpose());
    t.segment<10>(first) = solver::svec<4>(Eigen::Matrix4d::Identity());
  }
  for (int j = 0; j < layout.num_columns(); ++j) {
    const int p = layout.column_index(j);
    B(p, p) = std::sqrt(std::max(0.0, equations.G(p, p) / equations.num_rows));
  }
  const Eigen::MatrixXd along = B * fit.unseen;
  fit.x += fit.unseen * minimum_norm_solution(along, t - B * fit.x);
  fit.impossible_bodies = impossible_bodies_of(fit.x, layout);
}

}  // namespace heft
