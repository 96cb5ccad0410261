// Eigenvalues, shortest solutions and rotations checked by their defining properties, for matrices
// made from known ones.
#include "linalg/seen_directions.hpp"
#include "linalg/symmetric_eigen.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <limits>
#include <random>

#include "linalg/factorizations.hpp"
#include "linalg/is_finite.hpp"
#include "linalg/minimum_norm.hpp"
#include "linalg/rotation_between.hpp"
#include "linalg/sparse_congruence.hpp"

namespace heft {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

/// Entries from -1 to 1.
Eigen::MatrixXd random_matrix(int rows, int columns, std::mt19937& engine) {
  std::uniform_real_distribution<double> uniform(-1, 1);
  return Eigen::MatrixXd::NullaryExpr(rows, columns, [&] { return uniform(engine); });
}

/// Q of Gram and Schmidt, twice: orthonormal to rounding.
Eigen::MatrixXd random_rotation(int n, std::mt19937& engine) {
  Eigen::MatrixXd Q = random_matrix(n, n, engine);
  for (int twice = 0; twice < 2; ++twice)
    for (int k = 0; k < n; ++k) {
      for (int j = 0; j < k; ++j) Q.col(k) -= Q.col(j).dot(Q.col(k)) * Q.col(j);
      Q.col(k).normalize();
    }
  return Q;
}

template <int n, class Real>
void finds_what_was_put_in(int size) {
  std::mt19937 engine(static_cast<unsigned>(size));
  for (int trial = 0; trial < 20; ++trial) {
    Eigen::VectorXd values = random_matrix(size, 1, engine);
    std::sort(values.begin(), values.end());
    if (trial % 3 == 0 && size > 1) values[1] = values[0];
    const Eigen::MatrixXd Q = random_rotation(size, engine);
    Eigen::MatrixXd A = Q * values.asDiagonal() * Q.transpose();
    const Eigen::MatrixXd whole = 0.5 * (A + A.transpose());
    A = whole;
    A.triangularView<Eigen::StrictlyUpper>().setConstant(7);  // must not be read
    const SymmetricEigen<n, Real> eigen(A.cast<Real>());
    const double tolerance = 20 * size * std::numeric_limits<double>::epsilon();
    ASSERT_EQ(eigen.eigenvalues().size(), size);
    EXPECT_LT((eigen.eigenvalues().template cast<double>() - values).norm(), tolerance);
    const Eigen::MatrixXd V = eigen.eigenvectors().template cast<double>();
    EXPECT_LT((V.transpose() * V - Eigen::MatrixXd::Identity(size, size)).norm(), tolerance);
    EXPECT_LT((whole * V - V * values.asDiagonal()).norm(), tolerance);
    const SymmetricEigen<n, Real> values_alone(A.cast<Real>(), Eigen::EigenvaluesOnly);
    EXPECT_LT((values_alone.eigenvalues().template cast<double>() - values).norm(), tolerance);
  }
}

TEST(SymmetricEigen, RecoversTheirInputs) {
  finds_what_was_put_in<3, double>(3);
  finds_what_was_put_in<4, double>(4);
  finds_what_was_put_in<6, double>(6);
  for (const int size : {1, 2, 10, 43}) {
    finds_what_was_put_in<Eigen::Dynamic, double>(size);
    finds_what_was_put_in<Eigen::Dynamic, long double>(size);
  }
}

TEST(SymmetricEigen, WhatIsNotFiniteGivesNan) {
  Eigen::MatrixXd A = Eigen::MatrixXd::Identity(5, 5);
  A(3, 1) = kNan;
  EXPECT_TRUE(SymmetricEigen<Eigen::Dynamic>(A).eigenvalues().array().isNaN().all());
  A(3, 1) = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(SymmetricEigen<Eigen::Dynamic>(A).eigenvectors().array().isNaN().all());
}

TEST(SymmetricEigen, NothingHasNoEigenvalues) {
  EXPECT_EQ(SymmetricEigen<Eigen::Dynamic>(Eigen::MatrixXd(0, 0)).eigenvalues().size(), 0);
}

TEST(GeneralizedEigenvalues, RecoversTheirInputs) {
  std::mt19937 engine(5);
  for (int trial = 0; trial < 20; ++trial) {
    Eigen::VectorXd values = random_matrix(4, 1, engine);
    std::sort(values.begin(), values.end());
    // A = X' diag(values) X and B = X'X, X well conditioned
    const Eigen::MatrixXd X = random_rotation(4, engine) + 0.3 * random_matrix(4, 4, engine);
    const Eigen::Matrix4d A = X.transpose() * values.asDiagonal() * X, B = X.transpose() * X;
    EXPECT_LT((generalized_eigenvalues(A, B) - values).norm(), 1e-12);
  }
}

TEST(GeneralizedEigenvalues, AreNanWhereBIsNotPositiveDefinite) {
  const Eigen::Matrix3d A = Eigen::Matrix3d::Identity(), B = Eigen::Vector3d(1, 1, -1).asDiagonal();
  EXPECT_TRUE(generalized_eigenvalues(A, B).array().isNaN().all());
}

TEST(MinimumNorm, IsTheShortestOfTheBest) {
  std::mt19937 engine(8);
  for (int trial = 0; trial < 20; ++trial) {
    // of rank 3, whose rows span those of R
    const Eigen::MatrixXd R = random_matrix(3, 7, engine), A = random_matrix(9, 3, engine) * R;
    const Eigen::VectorXd b = random_matrix(9, 1, engine), x = minimum_norm_solution(A, b);
    EXPECT_LT((A.transpose() * (A * x - b)).norm(), 1e-12 * A.squaredNorm());
    const Eigen::VectorXd in_rows =
        R.transpose() * Eigen::MatrixXd(R * R.transpose()).inverse() * (R * x);
    EXPECT_LT((x - in_rows).norm(), 1e-12 * x.norm());
  }
}

TEST(RotationBetween, TurnsOneOntoTheOther) {
  constexpr double kRounding = 100 * std::numeric_limits<double>::epsilon();
  std::mt19937 engine(6);
  for (int trial = 0; trial < 30; ++trial) {
    const Eigen::Vector3d from = random_matrix(3, 1, engine);
    const Eigen::Vector3d to =
        trial % 3 == 0 ? Eigen::Vector3d(-2 * from) : Eigen::Vector3d(random_matrix(3, 1, engine));
    const Eigen::Matrix3d R = rotation_between(from, to);
    EXPECT_LT((R * from.normalized() - to.normalized()).norm(), kRounding);
    EXPECT_LT((R.transpose() * R - Eigen::Matrix3d::Identity()).norm(), kRounding);
    EXPECT_NEAR(R.determinant(), 1, kRounding);
    // the shortest: it turns by the angle between the two
    EXPECT_NEAR((R.trace() - 1) / 2, from.normalized().dot(to.normalized()), kRounding);
  }
}

TEST(SeenDirections, HaveAnInverseInAllUnits) {
  // three variables, of which the rows see the first and the sum of the others; units differ by
  // powers of ten
  Eigen::MatrixXd rows(4, 3);
  rows << 1, 0, 0, 0, 1, 1, 2, 1, 1, -1, 3, 3;
  const Eigen::Vector3d unit(1e6, 1, 1e-5);
  const Eigen::MatrixXd A = rows * unit.asDiagonal();
  const SeenDirections seen = seen_directions(A.transpose() * A, 1e-12);
  EXPECT_EQ(seen.rank(), 2);
  EXPECT_EQ(seen.open, (std::vector<bool>{false, true, true}));
  ASSERT_EQ(seen.unseen.cols(), 1);
  EXPECT_NEAR(seen.unseen.norm(), 1, 1e-12);
  EXPECT_LE((A * seen.unseen).norm(), 1e-12 * (A.cwiseAbs() * seen.unseen.cwiseAbs()).norm());
  // a pseudo-inverse G of H: H G H = H, and what rows tell is least squares
  const Eigen::MatrixXd H = A.transpose() * A, G = seen.inverse();
  const Eigen::Vector3d scale = H.diagonal().cwiseSqrt();
  EXPECT_LE(((H * G * H - H).array() / (scale * scale.transpose()).array()).abs().maxCoeff(),
            1e-12);
  const Eigen::Vector3d x(3e-6, 0.5, 2e4);
  EXPECT_LE((A * (G * (A.transpose() * (A * x))) - A * x).norm(), 1e-12 * (A * x).norm());
}

/// Correlated variables in several units: eigenvalues of the scaled matrix are 1 - r and 1 + r.
TEST(SeenDirections, AreThoseAboveTheCutOnEitherSideOfIt) {
  const Eigen::Vector2d unit(1e4, 1e-3);
  for (const double cut : {1e-14, 1e-6, 1e-2})
    for (const double share : {1e-12, 1e-8, 0.8e-6, 1.2e-6, 0.8e-2, 1.2e-2, 0.3}) {
      const double r = (1 - share) / (1 + share);  // the smaller eigenvalue over the larger: share
      Eigen::Matrix2d scaled;
      scaled << 1, r, r, 1;
      const Eigen::MatrixXd H = unit.asDiagonal() * scaled * unit.asDiagonal();
      const SeenDirections seen = seen_directions(H, cut);
      ASSERT_EQ(seen.rank(), share > cut ? 2 : 1) << cut << " " << share;
      ASSERT_EQ(seen.unseen.cols(), 2 - seen.rank());
      EXPECT_EQ(seen.open, std::vector<bool>(2, seen.rank() < 2));
      if (seen.rank() < 2) continue;
      Eigen::Matrix2d expected;
      expected << 1, -r, -r, 1;
      expected /= (1 - r) * (1 + r);
      const Eigen::Matrix2d found = unit.asDiagonal() * seen.inverse() * unit.asDiagonal();
      EXPECT_LE((found - expected).norm(), 1e-14 / share * expected.norm()) << share;
    }
}

TEST(SeenDirections, AreNoneOfSumsThatAreNotNumbers) {
  Eigen::MatrixXd H = Eigen::MatrixXd::Identity(3, 3);
  H(0, 1) = H(1, 0) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(seen_directions(H, 1e-12).root.cols(), 0);
}

TEST(SeenDirections, AreNoneOfNothing) {
  const SeenDirections seen = seen_directions(Eigen::MatrixXd::Zero(2, 2), 1e-12);
  EXPECT_EQ(seen.rank(), 0);
  EXPECT_EQ(seen.open, (std::vector<bool>{true, true}));
  EXPECT_EQ(seen.inverse(), Eigen::MatrixXd::Zero(2, 2));
}

TEST(IsFinite, FindsAnyNumberThatIsNot) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(is_finite(Eigen::MatrixXd(0, 3)));
  for (const int rows : {1, 2, 7}) {
    Eigen::MatrixXd numbers =
        Eigen::MatrixXd::Constant(rows, 5, std::numeric_limits<double>::max());
    numbers(0, 0) = -std::numeric_limits<double>::denorm_min();
    EXPECT_TRUE(is_finite(numbers));
    for (Eigen::Index k = 0; k < numbers.size(); ++k)
      for (const double other : {kNan, infinity, -infinity}) {
        Eigen::MatrixXd changed = numbers;
        changed.data()[k] = other;
        if (k > 0) changed(0, 0) = infinity;  // two do not cancel
        EXPECT_FALSE(is_finite(changed)) << k;
        EXPECT_FALSE(is_finite(changed.row(k % rows))) << k;
      }
  }
}

// whole numbers, of which every order of summation gives the same bits
TEST(SparseCongruence, IsExactOnWholeNumbers) {
  std::mt19937 engine(3);
  std::uniform_int_distribution<int> number(-50, 50);
  for (const auto& [rows, columns] : {std::pair(7, 4), std::pair(3, 6), std::pair(5, 5)}) {
    Eigen::MatrixXd G(rows, rows), S = Eigen::MatrixXd::Zero(rows, columns);
    for (int j = 0; j < rows; ++j)
      for (int i = 0; i <= j; ++i) G(i, j) = G(j, i) = number(engine);
    for (int j = 0; j < columns; ++j)
      for (int i = 0; i < rows; ++i)
        if (number(engine) > 20) S(i, j) = number(engine);
    const Eigen::MatrixXd found = sparse_congruence(G, S.sparseView());
    ASSERT_EQ(found.rows(), columns);
    for (int i = 0; i < columns; ++i)
      for (int j = 0; j < columns; ++j) {
        double sum = 0;
        for (int k = 0; k < rows; ++k)
          for (int l = 0; l < rows; ++l) sum += S(k, i) * G(k, l) * S(l, j);
        EXPECT_EQ(found(i, j), sum) << i << " " << j;
      }
  }
}

}  // namespace
}  // namespace heft
