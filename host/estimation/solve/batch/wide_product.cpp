#include "solve/wide_product.hpp"

#include <algorithm>

#include "lane_solver.hpp"

namespace heft {

namespace {

using solver::kRowsOfTile;

/// The columns of A as rows of tiles (lane_solver.hpp), zero behind the last.
Eigen::VectorXd tiles_of(const Eigen::Ref<const RowMajorMatrix>& A, Eigen::Index num_tiles) {
  Eigen::VectorXd tiles = Eigen::VectorXd::Zero(num_tiles * A.rows() * kRowsOfTile);
  double* to = tiles.data();
  for (Eigen::Index first = 0; first < A.cols(); first += kRowsOfTile) {
    const Eigen::Index width = std::min<Eigen::Index>(kRowsOfTile, A.cols() - first);
    for (Eigen::Index row = 0; row < A.rows(); ++row, to += kRowsOfTile)
      std::copy_n(A.data() + row * A.outerStride() + first, width, to);
  }
  return tiles;
}

}  // namespace

Eigen::MatrixXd wide_product(const Eigen::Ref<const RowMajorMatrix>& A,
                             const Eigen::Ref<const Eigen::MatrixXd>& B) {
  Eigen::MatrixXd product = Eigen::MatrixXd::Zero(A.cols(), B.cols());
  if (A.rows() == 0 || product.size() == 0) return product;
  const Eigen::Index num_tiles = (A.cols() + kRowsOfTile - 1) / kRowsOfTile;
  const Eigen::VectorXd tiles = tiles_of(A, num_tiles);
  // weights lie column by column without gaps
  const bool is_packed = B.outerStride() == B.rows();
  const Eigen::MatrixXd packed = is_packed ? Eigen::MatrixXd() : Eigen::MatrixXd(B);
  Eigen::VectorXd sums(num_tiles * B.cols() * kRowsOfTile);
  solver::lane_solver().weighted_sums(tiles.data(), num_tiles, static_cast<int>(A.rows()),
                                      is_packed ? B.data() : packed.data(),
                                      static_cast<int>(B.cols()), sums.data());
  const double* from = sums.data();
  for (Eigen::Index first = 0; first < A.cols(); first += kRowsOfTile) {
    const Eigen::Index width = std::min<Eigen::Index>(kRowsOfTile, A.cols() - first);
    for (Eigen::Index column = 0; column < B.cols(); ++column, from += kRowsOfTile)
      std::copy_n(from, width, &product(first, column));
  }
  return product;
}

}  // namespace heft
