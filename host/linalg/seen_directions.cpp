#include "linalg/seen_directions.hpp"

#include "linalg/symmetric_eigen.hpp"

namespace heft {

SeenDirections seen_directions(const Eigen::MatrixXd& information, double cut) {
  constexpr double kPart = 1e-6;  // of a variable's square in directions that are not seen
  const Eigen::VectorXd size = information.diagonal().cwiseMax(0).cwiseSqrt();
  const Eigen::VectorXd scale = (size.array() > 0).select(size.cwiseInverse(), 0.0);
  const SymmetricEigen<Eigen::Dynamic> eigen(
      Eigen::MatrixXd(scale.asDiagonal() * information * scale.asDiagonal()));
  const Eigen::VectorXd& values = eigen.eigenvalues();
  const Eigen::Index rank = (values.array() > cut * values.maxCoeff()).count();
  SeenDirections seen;
  seen.root = scale.asDiagonal() * eigen.eigenvectors().rightCols(rank) *
              values.tail(rank).cwiseSqrt().cwiseInverse().asDiagonal();
  const Eigen::VectorXd unseen = eigen.eigenvectors().leftCols(values.size() - rank).rowwise().squaredNorm();
  for (Eigen::Index k = 0; k < values.size(); ++k) seen.open.push_back(unseen[k] > kPart || !(scale[k] > 0));
  return seen;
}

}  // namespace heft
