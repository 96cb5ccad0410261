#include "linalg/seen_directions.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "linalg/factorizations.hpp"
#include "linalg/is_finite.hpp"
#include "linalg/symmetric_eigen.hpp"

namespace heft {

namespace {

/// An upper triangular W with W W' = A^-1, in a tenth of the time of eigenvectors, for a matrix
/// with unit diagonal whose eigenvalues are all clearly above `cut` of the largest; otherwise
/// empty.
std::optional<Eigen::MatrixXd> root_by_factor(const Eigen::MatrixXd& A, double cut) {
  // more than the rounding of a factor, and of any cut that is for rounding
  const auto size = static_cast<double>(A.rows());
  const double least = size * std::max(1e-9, 2 * cut);  // size: no eigenvalue is larger
  Eigen::MatrixXd beyond = A;
  beyond.diagonal().array() -= least;
  if (A.rows() == 0 || Eigen::LLT<Eigen::MatrixXd>(beyond).info() != Eigen::Success) return {};
  Eigen::MatrixXd root = Eigen::MatrixXd::Identity(A.rows(), A.cols());
  Eigen::LLT<Eigen::MatrixXd>(A).matrixU().solveInPlace(root);
  return root;
}

}  // namespace

SeenDirections seen_directions(const Eigen::MatrixXd& information, double cut) {
  // eigenvectors carry rounding of eps over the gap: this share of a variable's square is more than
  // that and less than any real one
  constexpr double kPart = 1e-6;
  const Eigen::Index size = information.rows();
  const Eigen::VectorXd scale =
      information.diagonal().unaryExpr([](double x) { return x > 0 ? 1 / std::sqrt(x) : 0.0; });
  const Eigen::MatrixXd scaled = scale.asDiagonal() * information * scale.asDiagonal();
  // a factor lets NaN through
  const bool can_be_full = (scale.array() > 0).all() && is_finite(scaled);
  if (const auto root = can_be_full ? root_by_factor(scaled, cut) : std::nullopt)
    return {scale.asDiagonal() * *root, Eigen::MatrixXd(size, 0),
            std::vector<bool>(static_cast<std::size_t>(size), false)};
  const SymmetricEigen<Eigen::Dynamic> eigen(scaled);
  const Eigen::VectorXd& values = eigen.eigenvalues();  // ascending
  const Eigen::Index rank = (values.array() > cut * values.maxCoeff()).count(),
                     num_unseen = size - rank;
  SeenDirections seen{Eigen::MatrixXd(size, rank), Eigen::MatrixXd(size, num_unseen), {}};
  Eigen::VectorXd left_out = Eigen::VectorXd::Zero(size);
  for (Eigen::Index i = 0; i < size; ++i) {
    const Eigen::VectorXd direction = eigen.eigenvectors().col(i);
    if (i >= num_unseen) {
      seen.root.col(i - num_unseen) = scale.cwiseProduct(direction) / std::sqrt(values[i]);
    } else {
      left_out += direction.cwiseAbs2();
      // a variable without a trace in the data is a direction by itself
      seen.unseen.col(i) =
          (scale.array() > 0).select(scale.cwiseProduct(direction), direction).normalized();
    }
  }
  for (Eigen::Index k = 0; k < size; ++k)
    seen.open.push_back(!(left_out[k] <= kPart && scale[k] > 0));
  return seen;
}

}  // namespace heft
