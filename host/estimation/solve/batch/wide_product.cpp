#include "solve/wide_product.hpp"

#include "lane_solver.hpp"

namespace heft {

Eigen::MatrixXd wide_product(const Eigen::Ref<const RowMajorMatrix>& A,
                             const Eigen::Ref<const Eigen::MatrixXd>& B) {
  Eigen::MatrixXd product(A.cols(), B.cols());
  // the rows of A are the columns of its transpose
  solver::lane_solver().multiply({A.data(), A.outerStride(), B.data(), B.outerStride(),
                                  product.data(), product.outerStride(), static_cast<int>(A.cols()),
                                  static_cast<int>(A.rows()), static_cast<int>(B.cols())});
  return product;
}

}  // namespace heft
