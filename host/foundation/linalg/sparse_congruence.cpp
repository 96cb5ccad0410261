#include "linalg/sparse_congruence.hpp"

namespace heft {

Eigen::MatrixXd sparse_congruence(const Eigen::MatrixXd& G, const Eigen::SparseMatrix<double>& S) {
  using Entry = Eigen::SparseMatrix<double>::InnerIterator;
  Eigen::MatrixXd GS = Eigen::MatrixXd::Zero(G.rows(), S.cols());
  for (Eigen::Index j = 0; j < S.cols(); ++j)
    for (Entry entry(S, j); entry; ++entry) GS.col(j) += entry.value() * G.col(entry.row());
  const Eigen::MatrixXd by_row = GS.transpose();
  Eigen::MatrixXd product = Eigen::MatrixXd::Zero(S.cols(), S.cols());
  for (Eigen::Index j = 0; j < S.cols(); ++j)
    for (Entry entry(S, j); entry; ++entry)
      product.col(j).head(j + 1) += entry.value() * by_row.col(entry.row()).head(j + 1);
  product.triangularView<Eigen::StrictlyLower>() = product.transpose();
  return product;
}

}  // namespace heft
