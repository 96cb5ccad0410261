#include "linalg/sparse_congruence.hpp"

#include <algorithm>

namespace heft {

Eigen::MatrixXd sparse_congruence(const Eigen::MatrixXd& G, const Eigen::SparseMatrix<double>& S) {
  using Entry = Eigen::SparseMatrix<double>::InnerIterator;
  const Eigen::Index size = S.cols();
  // Entry (i, j) with i >= j takes the rows of GS that columns up to j of S have: of column i of GS
  // only those up to the last of columns up to i.
  Eigen::MatrixXd by_row(size, G.rows());
  Eigen::VectorXd column(G.rows());
  Eigen::Index num_rows = 0;
  for (Eigen::Index j = 0; j < size; ++j) {
    for (Entry entry(S, j); entry; ++entry) num_rows = std::max(num_rows, entry.row() + 1);
    bool is_first = true;
    for (Entry entry(S, j); entry; ++entry) {
      const auto term = entry.value() * G.col(entry.row()).head(num_rows);
      if (is_first)
        column.head(num_rows) = term;
      else
        column.head(num_rows) += term;
      is_first = false;
    }
    if (is_first) column.head(num_rows).setZero();
    for (Eigen::Index k = 0; k < num_rows; ++k) by_row(j, k) = column[k];
  }
  Eigen::MatrixXd product = Eigen::MatrixXd::Zero(size, size);
  for (Eigen::Index j = 0; j < size; ++j)
    for (Entry entry(S, j); entry; ++entry)
      product.col(j).tail(size - j) += entry.value() * by_row.col(entry.row()).tail(size - j);
  for (Eigen::Index j = 0; j < size; ++j)
    for (Eigen::Index i = j + 1; i < size; ++i) product(j, i) = product(i, j);
  return product;
}

}  // namespace heft
