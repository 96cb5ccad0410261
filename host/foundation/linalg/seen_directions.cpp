#include "linalg/seen_directions.hpp"

#include <cmath>

#include "linalg/symmetric_eigen.hpp"

namespace heft {

SeenDirections seen_directions(const Eigen::MatrixXd& information, double cut) {
  // eigenvectors carry rounding of eps over the gap: this share of a variable's square is more than
  // that and less than any real one
  constexpr double kPart = 1e-6;
  const Eigen::Index size = information.rows();
  const Eigen::VectorXd scale =
      information.diagonal().unaryExpr([](double x) { return x > 0 ? 1 / std::sqrt(x) : 0.0; });
  const SymmetricEigen<Eigen::Dynamic> eigen(
      Eigen::MatrixXd(scale.asDiagonal() * information * scale.asDiagonal()));
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
