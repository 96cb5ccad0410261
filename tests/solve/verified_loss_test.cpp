// The bound of 1/2 r'(S'HS)^-1 r by a factorization in double precision, against long double.
#include "host/estimation/solve/verified_loss.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "linalg/factorizations.hpp"
#include "test_support.hpp"

namespace heft::solver {
namespace {

using LongMatrix = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;

struct Case {
  Eigen::MatrixXd H;
  RowSparseMatrix S;
  LongVector r;

  LongMatrix Q() const {
    const LongMatrix scale = Eigen::MatrixXd(S).cast<long double>();
    return scale.transpose() * H.cast<long double>() * scale;
  }
  std::optional<VerifiedLoss> bound() const {
    return verified_loss(H, S, r, [this](const LongVector& z) { return LongVector(Q() * z); });
  }
};

/// Eigenvalues of H from 1 down to `least`, or with one at `least` if it is not positive.
Case case_of(test::Random& random, int n, double least) {
  const Eigen::MatrixXd basis =
      Eigen::HouseholderQR<Eigen::MatrixXd>(random.normal(n, n)).householderQ();
  Eigen::VectorXd values(n);
  for (int k = 0; k < n; ++k)
    values[k] = least > 0 ? std::pow(least, static_cast<double>(k) / (n - 1)) : 1.0;
  if (least <= 0) values[n / 2] = least;
  const Eigen::MatrixXd H = basis * values.asDiagonal() * basis.transpose();
  Case made{0.5 * (H + H.transpose()), RowSparseMatrix(n, n), LongVector(n)};
  const Eigen::MatrixXd upper = random.normal(n, n).triangularView<Eigen::Upper>();
  Eigen::MatrixXd scale = Eigen::MatrixXd::Zero(n, n);
  for (int first = 0; first < n; first += 5) {
    const int size = std::min(5, n - first);
    scale.block(first, first, size, size) = 0.3 * upper.block(first, first, size, size);
    for (int k = first; k < first + size; ++k) scale(k, k) = random.uniform(0.5, 20);
  }
  made.S = scale.sparseView();
  made.r = random.normal(n, 1).cast<long double>();
  return made;
}

TEST(VerifiedLoss, BoundsTheLossFromAboveByAMillionth) {
  test::Random random(7);
  for (int k = 0; k < 60; ++k) {
    const Case made = case_of(random, 3 + k, std::pow(10.0, -1 - k % 7));
    const auto found = made.bound();
    ASSERT_TRUE(found) << k;
    const long double loss =
        0.5L * made.r.dot(LongVector(Eigen::LLT<LongMatrix>(made.Q()).solve(made.r)));
    EXPECT_GE(found->loss, loss * (1 - 1e-9L)) << k;  // of long double itself
    EXPECT_LE(found->loss, loss * (1 + 2e-6L)) << k;
    EXPECT_GT(found->condition, 1);
  }
}

TEST(VerifiedLoss, ProvesNothingOfMatricesThatAreNotDefinite) {
  test::Random random(8);
  for (const double least : {-1e-3, -1e-10, -1e-15, 0.0})
    for (int n : {4, 30, 91}) EXPECT_FALSE(case_of(random, n, least).bound()) << least << ", " << n;
  Case singular = case_of(random, 20, 0.1);
  singular.S.coeffRef(7, 7) = 0;  // a variable that no parameter depends on
  for (RowSparseMatrix::InnerIterator it(singular.S, 7); it; ++it) it.valueRef() = 0;
  for (int row = 0; row < 20; ++row)
    if (row != 7) singular.S.coeffRef(row, 7) = 0;
  EXPECT_FALSE(singular.bound());
}

TEST(VerifiedLoss, ProvesNothingOfNumbersThatAreNotFinite) {
  test::Random random(9);
  Case made = case_of(random, 12, 0.1);
  made.r[3] = std::nanl("");
  EXPECT_FALSE(made.bound());
  Case infinite = case_of(random, 12, 0.1);
  infinite.H(2, 2) = INFINITY;
  EXPECT_FALSE(infinite.bound());
}

TEST(VerifiedLoss, ProvesNothingWhereProductsUnderflow) {
  test::Random random(10);
  Case made = case_of(random, 12, 0.1);
  EXPECT_TRUE(made.bound());
  made.H *= 1e-250;
  EXPECT_FALSE(made.bound());
}

}  // namespace
}  // namespace heft::solver
