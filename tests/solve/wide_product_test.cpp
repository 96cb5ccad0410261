// Products on the widest vectors against plain loops: whole numbers, of which every order of
// summation gives the same bits.
#include "solve/wide_product.hpp"

#include <gtest/gtest.h>

#include <random>

namespace heft {
namespace {

Eigen::MatrixXd whole_numbers(Eigen::Index rows, Eigen::Index cols) {
  static std::mt19937 generator(7);
  std::uniform_int_distribution<int> number(-1000, 1000);
  return Eigen::MatrixXd::NullaryExpr(rows, cols,
                                      [&] { return static_cast<double>(number(generator)); });
}

void expect_product(const Eigen::MatrixXd& product, const Eigen::MatrixXd& A,
                    const Eigen::MatrixXd& B) {
  ASSERT_EQ(product.rows(), A.cols());
  ASSERT_EQ(product.cols(), B.cols());
  for (Eigen::Index i = 0; i < A.cols(); ++i)
    for (Eigen::Index j = 0; j < B.cols(); ++j) {
      double sum = 0;
      for (Eigen::Index k = 0; k < A.rows(); ++k) sum += A(k, i) * B(k, j);
      EXPECT_EQ(product(i, j), sum) << i << " " << j;
    }
}

TEST(WideProduct, IsExactOnWholeNumbers) {
  for (const Eigen::Index rows : {1, 2, 37, 400})
    for (const Eigen::Index cols : {1, 15, 16, 17, 33, 64})
      for (const Eigen::Index others : {1, 3, 4, 7, 8, 9, 103}) {
        const Eigen::MatrixXd A = whole_numbers(rows, cols), B = whole_numbers(rows, others);
        expect_product(wide_product(RowMajorMatrix(A), B), A, B);
      }
}

TEST(WideProduct, TakesPartsOfMatrices) {
  const Eigen::MatrixXd A = whole_numbers(50, 20), B = whole_numbers(80, 30);
  const RowMajorMatrix rows = A;
  expect_product(wide_product(rows, B.block(10, 3, 50, 9)), A, B.block(10, 3, 50, 9));
  expect_product(wide_product(rows, B.topRows(50)), A, B.topRows(50));
  expect_product(wide_product(rows.middleRows(5, 30), B.topRows(30)), A.middleRows(5, 30),
                 B.topRows(30));
}

TEST(WideProduct, OfNothingIsZero) {
  const Eigen::MatrixXd product = wide_product(RowMajorMatrix(0, 3), Eigen::MatrixXd(0, 2));
  ASSERT_EQ(product.rows(), 3);
  ASSERT_EQ(product.cols(), 2);
  EXPECT_TRUE((product.array() == 0).all());
  EXPECT_EQ(wide_product(RowMajorMatrix(4, 3), Eigen::MatrixXd(4, 0)).cols(), 0);
}

}  // namespace
}  // namespace heft
