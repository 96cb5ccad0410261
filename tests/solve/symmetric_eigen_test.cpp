// Jacobi's decomposition in core/ compared with Eigen's, and the prox of the cone with its
// definition.
#include "heft/core/symmetric_eigen.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "host/estimation/solve/cone.hpp"
#include "host/estimation/solve/svec.hpp"
#include "linalg/factorizations.hpp"
#include "test_support.hpp"

namespace heft::solver {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kEps = std::numeric_limits<double>::epsilon();

// matrices that are hard for some eigensolver: graded, repeated eigenvalues, singular, diagonal,
// huge, tiny, zero
std::vector<Eigen::Matrix4d> matrices() {
  test::Random random(1);
  std::vector<Eigen::Matrix4d> list = {Eigen::Matrix4d::Zero(), Eigen::Matrix4d::Identity(),
                                       Eigen::Vector4d(3, -1, 0, 2).asDiagonal()};
  for (int k = 0; k < 60; ++k) {
    const Eigen::Matrix4d A = random.normal(4, 4);
    Eigen::Matrix4d M = A + A.transpose();
    if (k % 6 == 1) M = A.col(0) * A.col(0).transpose();
    if (k % 6 == 2)
      M = Eigen::Vector4d(1, 1e-3, 1e-6, 1e-9).asDiagonal() * M *
          Eigen::Vector4d(1, 1e-3, 1e-6, 1e-9).asDiagonal();
    if (k % 6 == 3) M *= 1e120;
    if (k % 6 == 4) M *= 1e-120;
    if (k % 6 == 5) M = Eigen::Matrix4d::Identity() + 1e-14 * M;
    list.push_back(M);
  }
  return list;
}

// with the solvers' tolerance and without one; the upper triangle is not read
TEST(SymmetricEigen, AgreesWithEigenAndReproducesTheMatrix) {
  for (const Eigen::Matrix4d& M : matrices()) {
    for (const double sweeps_end : {0.0, 1e-15}) {
      Eigen::Matrix<double, 4, 4, Eigen::RowMajor> A = M, vectors;
      A.triangularView<Eigen::StrictlyUpper>().setConstant(kNan);
      vectors.setConstant(kNan);
      Eigen::Vector4d values = Eigen::Vector4d::Constant(kNan);
      core::symmetric_eigen<4>(A.data(), values.data(), vectors.data(), sweeps_end);

      const double tolerance = 40 * kEps * M.norm();
      EXPECT_LE((vectors * values.asDiagonal() * vectors.transpose() - M).norm(), tolerance);
      EXPECT_LE((vectors.transpose() * vectors - Eigen::Matrix4d::Identity()).norm(), 40 * kEps);
      std::sort(values.data(), values.data() + 4);
      const Eigen::Vector4d expected =
          Eigen::SelfAdjointEigenSolver<Eigen::Matrix4d>(M).eigenvalues();
      EXPECT_LE((values - expected).norm(), tolerance);
    }
  }
}

TEST(SymmetricEigen, NanSpreads) {
  for (const double sweeps_end : {0.0, 1e-15}) {
    double A[16], values[4], vectors[16];
    std::fill_n(A, 16, 1.0);
    A[4 * 2 + 1] = kNan;
    core::symmetric_eigen<4>(A, values, vectors, sweeps_end);
    EXPECT_TRUE(std::isnan(values[0] + values[1] + values[2] + values[3]));
  }
}

// X = V f(d) V' with X - t X^-1 = M is the optimality condition of the prox of -t log det; t = 0: X
// - M >= 0, <X, X - M> = 0
TEST(ProxBlocks, SatisfiesItsOptimalityCondition) {
  test::Random random(2);
  const int count = 13;
  const ConeShape cone{.num_psd4 = count};
  Eigen::VectorXd in = random.normal(10 * count, 1),
                  out = Eigen::VectorXd::Constant(10 * count, kNan), t(count);
  for (int block = 0; block < count; ++block)
    t[block] = block % 3 == 0 ? 0 : block % 3 == 1 ? 1e-2 : 2.0;
  prox(cone, in, t, out);

  for (int block = 0; block < count; ++block) {
    const Eigen::Matrix4d M = smat<4>(&in[10 * block]), X = smat<4>(&out[10 * block]);
    const auto least = [](const Eigen::Matrix4d& A) {
      return Eigen::SelfAdjointEigenSolver<Eigen::Matrix4d>(A).eigenvalues()[0];
    };
    const double tolerance = 100 * kEps * M.norm();
    if (t[block] == 0) {
      EXPECT_GE(least(X), -tolerance);
      EXPECT_GE(least(X - M), -tolerance);
      EXPECT_NEAR((X * (X - M)).trace(), 0, tolerance * M.norm());
    } else {
      EXPECT_GT(least(X), 0);
      EXPECT_LE((X - t[block] * X.inverse() - M).norm(),
                tolerance * std::max(1.0, t[block] * X.inverse().squaredNorm()));
    }
  }
}

TEST(ProxBlocks, LeavesABlockInsideTheConeUntouched) {
  const Svec<4> inside = svec<4>(Eigen::Matrix4d(Eigen::Vector4d(1, 2, 3, 4).asDiagonal()));
  Eigen::VectorXd out = Eigen::VectorXd::Constant(10, kNan);
  prox({.num_psd4 = 1}, inside, Eigen::VectorXd::Zero(1), out);
  EXPECT_EQ(out, inside);
}

TEST(Svec, IsIsometricAndKroneckerIsTheCongruence) {
  test::Random random(3);
  for (int k = 0; k < 10; ++k) {
    const Eigen::Matrix4d A = random.normal(4, 4), B = random.normal(4, 4), P = random.normal(4, 4);
    const Eigen::Matrix4d SA = A + A.transpose(), SB = B + B.transpose(), SP = P + P.transpose();
    EXPECT_NEAR(svec<4>(SA).dot(svec<4>(SB)), (SA * SB).trace(), 1e-13 * SA.norm() * SB.norm());
    EXPECT_LE((smat<4>(svec<4>(SA).data()) - SA).norm(), 4 * kEps * SA.norm());
    EXPECT_LE(
        (symmetric_kronecker<4>(SP) * svec<4>(SA) - svec<4>(Eigen::Matrix4d(SP * SA * SP))).norm(),
        1e-13 * SP.squaredNorm() * SA.norm());
  }
}

}  // namespace
}  // namespace heft::solver
