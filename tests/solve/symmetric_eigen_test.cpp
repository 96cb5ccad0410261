// The lane-parallel Jacobi decomposition against Eigen's, and the prox against its definition.
#include "host/solve/symmetric_eigen.hpp"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "host/solve/svec.hpp"
#include "test_support.hpp"

namespace heft::solver {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kEps = std::numeric_limits<double>::epsilon();

// matrices that are hard for some eigensolver: graded, repeated eigenvalues, singular, diagonal, huge, tiny,
// zero
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

TEST(SymmetricEigen, AgreesWithEigenAndReproducesTheMatrix) {
  const auto list = matrices();
  for (std::size_t first = 0; first < list.size(); first += kLanes) {
    SymmetricLanes lanes{};
    const int used = static_cast<int>(std::min<std::size_t>(kLanes, list.size() - first));
    for (int l = 0; l < used; ++l) {
      int k = 0;
      for (int column = 0; column < 4; ++column) {
        for (int row = column; row < 4; ++row) lanes.matrix[k++][l] = list[first + l](row, column);
      }
    }
    EigenLanes result;
    std::fill_n(&result.value[0][0], 4 * kLanes, kNan);
    std::fill_n(&result.vector[0][0], 16 * kLanes, kNan);
    symmetric_eigen(lanes, result);

    for (int l = 0; l < used; ++l) {
      const Eigen::Matrix4d& M = list[first + l];
      Eigen::Vector4d values;
      Eigen::Matrix4d vectors;
      for (int i = 0; i < 4; ++i) {
        values[i] = result.value[i][l];
        for (int r = 0; r < 4; ++r) vectors(r, i) = result.vector[4 * i + r][l];
      }
      const double tolerance = 40 * kEps * M.norm();
      EXPECT_LE((vectors * values.asDiagonal() * vectors.transpose() - M).norm(), tolerance);
      EXPECT_LE((vectors.transpose() * vectors - Eigen::Matrix4d::Identity()).norm(), 40 * kEps);
      Eigen::Vector4d sorted = values;
      std::sort(sorted.data(), sorted.data() + 4);
      const Eigen::Vector4d expected = Eigen::SelfAdjointEigenSolver<Eigen::Matrix4d>(M).eigenvalues();
      EXPECT_LE((sorted - expected).norm(), tolerance);
    }
  }
}

TEST(SymmetricEigen, NanStaysInItsLane) {
  SymmetricLanes lanes{};
  for (auto& entry : lanes.matrix) std::fill_n(entry, kLanes, 1.0);
  lanes.matrix[3][2] = kNan;
  EigenLanes result;
  symmetric_eigen(lanes, result);
  for (int l = 0; l < kLanes; ++l) {
    double sum = 0;
    for (int i = 0; i < 4; ++i) sum += result.value[i][l];
    if (l == 2) {
      EXPECT_TRUE(std::isnan(sum));
    } else {
      EXPECT_NEAR(sum, 4, 40 * kEps);  // the matrix of ones has eigenvalues 4, 0, 0, 0
    }
  }
}

// X = V f(d) V' with X - t X^-1 = M is the optimality condition of the prox of -t log det; t = 0: X - M >= 0,
// <X, X - M> = 0
TEST(ProxBlocks, SatisfiesItsOptimalityCondition) {
  test::Random random(2);
  const int count = 13;  // not a multiple of the lanes
  std::vector<double> in(10 * count), out(10 * count, kNan), t(count);
  for (double& value : in) value = random.normal();
  for (int block = 0; block < count; ++block) t[block] = block % 3 == 0 ? 0 : block % 3 == 1 ? 1e-2 : 2.0;
  prox_blocks4(in.data(), t.data(), count, out.data());

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
  Svec<4> out = Svec<4>::Constant(kNan);
  const double t = 0;
  prox_blocks4(inside.data(), &t, 1, out.data());
  EXPECT_EQ(out, inside);
}

TEST(Svec, IsIsometricAndKroneckerIsTheCongruence) {
  test::Random random(3);
  for (int k = 0; k < 10; ++k) {
    const Eigen::Matrix4d A = random.normal(4, 4), B = random.normal(4, 4), P = random.normal(4, 4);
    const Eigen::Matrix4d SA = A + A.transpose(), SB = B + B.transpose(), SP = P + P.transpose();
    EXPECT_NEAR(svec<4>(SA).dot(svec<4>(SB)), (SA * SB).trace(), 1e-13 * SA.norm() * SB.norm());
    EXPECT_LE((smat<4>(svec<4>(SA).data()) - SA).norm(), 4 * kEps * SA.norm());
    EXPECT_LE((symmetric_kronecker<4>(SP) * svec<4>(SA) - svec<4>(Eigen::Matrix4d(SP * SA * SP))).norm(),
              1e-13 * SP.squaredNorm() * SA.norm());
  }
}

}  // namespace
}  // namespace heft::solver
