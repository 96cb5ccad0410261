#include "subspace.hpp"

#include <algorithm>

namespace heft::identifiability {

void Subspace::append(Eigen::VectorXd direction) {
  // the first pass is exact up to the rounding of a short rest, the second removes that
  for (int pass = 0; pass < 2; ++pass) {
    direction.normalize();
    direction -= basis() * (basis().transpose() * direction);
  }
  if (rank_ == basis_.cols())
    basis_.conservativeResize(Eigen::NoChange, std::min(dimension_, 2 * rank_ + 4));
  basis_.col(rank_++) = direction.normalized();
}

void Subspace::add_columns(const Eigen::MatrixXd& candidates) {
  Eigen::MatrixXd rest = candidates;
  for (int pass = 0; pass < 2; ++pass) rest -= basis() * (basis().transpose() * rest);
  while (rank_ < dimension_ && rest.cols() > 0) {
    Eigen::Index longest;
    const double length = rest.colwise().norm().maxCoeff(&longest);
    if (!(length > tolerance_)) return;
    append(rest.col(longest));
    const auto latest = basis_.col(rank_ - 1);
    for (int pass = 0; pass < 2; ++pass) rest -= latest * (latest.transpose() * rest);
    rest.col(longest).setZero();
  }
}

void close_under(const std::vector<Eigen::MatrixXd>& operators, Subspace& subspace) {
  const Eigen::Index dimension = subspace.dimension();
  for (Eigen::Index done = 0; done < subspace.rank();) {
    const Eigen::MatrixXd latest = subspace.basis().rightCols(subspace.rank() - done);
    done = subspace.rank();
    Eigen::MatrixXd images(dimension, latest.cols() * static_cast<Eigen::Index>(operators.size()));
    for (std::size_t k = 0; k < operators.size(); ++k)
      images.middleCols(latest.cols() * static_cast<Eigen::Index>(k), latest.cols()) =
          operators[k] * latest;
    subspace.add_columns(images);
  }
}

}  // namespace heft::identifiability
