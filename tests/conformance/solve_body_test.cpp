// Blocks of bodies as all solvers use them (core/psd_block.hpp), compared with Eigen's eigensolver
// and with finite differences of the projection.
#include "heft/core/psd_block.hpp"

#include <gtest/gtest.h>

#include <random>

#include "host/estimation/solve/svec.hpp"
#include "linalg/factorizations.hpp"

namespace heft {
namespace {

using Matrix = Eigen::Matrix4d;
using Vector = Eigen::Matrix<double, 10, 1>;
constexpr double kEps = 2.3e-16;

Matrix random_symmetric(std::mt19937_64& engine) {
  std::normal_distribution<double> normal;
  const Matrix A = Matrix::NullaryExpr([&] { return normal(engine); });
  return 0.5 * (A + A.transpose());
}

Matrix projection(const Matrix& A) {
  const Eigen::SelfAdjointEigenSolver<Matrix> eigen(A);
  return eigen.eigenvectors() * eigen.eigenvalues().cwiseMax(0).asDiagonal() *
         eigen.eigenvectors().transpose();
}

TEST(SolveBody, PlacesAreThoseOfTheSvec) {
  for (int k = 0, column = 0; column < 4; ++column) {
    for (int row = column; row < 4; ++row, ++k) {
      EXPECT_EQ(core::svec_place(4, row, column), k);
      EXPECT_EQ(core::svec_place(4, column, row), k);
      EXPECT_EQ(core::svec_entry4(k).row, row);
      EXPECT_EQ(core::svec_entry4(k).column, column);
    }
  }
  std::mt19937_64 engine(3);
  const Vector v = solver::svec<4>(random_symmetric(engine));
  const core::Square<4, double> M = core::matrix_of<4>(v.data());
  Vector back = Vector::Constant(NAN);
  core::put_svec(M, back.data());
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) EXPECT_NEAR(M.at[i][j], solver::smat<4>(v.data())(i, j), 2 * kEps);
  EXPECT_LE((back - v).norm(), 4 * kEps * v.norm());
}

void expect_eigenvectors(const Matrix& A) {
  const core::SymmetricEigen<4, double> eigen(core::matrix_of<4>(solver::svec<4>(A).data()));
  Matrix V;
  Eigen::Vector4d e;
  for (int i = 0; i < 4; ++i) {
    e[i] = eigen.e[i];
    for (int j = 0; j < 4; ++j) V(i, j) = eigen.Q.at[j][i];
  }
  const double tolerance = (2e-15 + 50 * kEps) * A.norm();  // what the sweeps leave off the
                                                            // diagonal, and rounding
  EXPECT_LE((V.transpose() * e.asDiagonal() * V - A).norm(), tolerance) << A;
  EXPECT_LE((V * V.transpose() - Matrix::Identity()).norm(), 50 * kEps) << A;
  std::sort(e.begin(), e.end());
  EXPECT_LE((e - Eigen::SelfAdjointEigenSolver<Matrix>(A).eigenvalues()).norm(), tolerance) << A;
}

TEST(SolveBody, EigenvectorsDiagonalise) {
  std::mt19937_64 engine(5);
  for (int k = 0; k < 500; ++k) expect_eigenvectors(random_symmetric(engine));
  expect_eigenvectors(Matrix::Zero());
  expect_eigenvectors(Matrix::Identity());
  expect_eigenvectors(Matrix::Ones());  // one eigenvalue three times
  expect_eigenvectors(Eigen::Vector4d(1e-12, 1, 1e6, -1e6).asDiagonal());
  Matrix graded;  // from 1 down to 1e-12
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) graded(i, j) = std::pow(10.0, -2 * (i + j)) / (1 + i + j);
  expect_eigenvectors(graded);
}

TEST(SolveBody, NanSpreads) {
  Vector v = solver::svec<4>(Matrix::Identity());
  v[2] = NAN;
  const core::SymmetricEigen<4, double> eigen(core::matrix_of<4>(v.data()));
  bool any = false;
  for (const double e : eigen.e) any = any || std::isnan(e);
  EXPECT_TRUE(any);
}

struct Split {
  Vector slack = Vector::Constant(NAN), lambda_next = slack, pull = slack;
  core::Curvature<4, double> curvature;

  Split(const Vector& y, const Vector& lambda, double rho) {
    core::split_block<4>(y.data(), lambda.data(), rho,
                         {slack.data(), lambda_next.data(), pull.data()}, curvature);
  }
  Vector apply(const Vector& v) const {
    Vector result = Vector::Constant(NAN);
    core::apply_curvature(curvature, v.data(), result.data());
    return result;
  }
};

TEST(SolveBody, SplitsIntoTheConeAndItsDual) {
  std::mt19937_64 engine(7);
  const double rho = 0.3;
  for (int k = 0; k < 200; ++k) {
    const Matrix y = random_symmetric(engine), lambda = random_symmetric(engine),
                 v = y - lambda / rho;
    const Split split(solver::svec<4>(y), solver::svec<4>(lambda), rho);
    EXPECT_LE((split.slack - solver::svec<4>(projection(v))).norm(), 100 * kEps * v.norm());
    EXPECT_LE((split.lambda_next - rho * solver::svec<4>(projection(-v))).norm(),
              100 * kEps * rho * v.norm());
  }
  // inside the cone nothing is left to do
  const Vector one = solver::svec<4>(Matrix::Identity()), lambda = 0.1 * one;
  const Split split(one, lambda, rho);
  EXPECT_EQ(split.slack, one - lambda / rho);
  EXPECT_EQ(split.lambda_next, Vector::Zero());
  EXPECT_EQ(split.pull, -lambda);
  EXPECT_EQ(split.apply(one), Vector::Zero());
}

// With D the derivative of the projection at v, W = rho (1/D - 1) and T = (lambda+ - lambda) / D.
// Where one eigenvalue is negative, of eigenvector u, D has an inverse on all G with u'G u = 0.
TEST(SolveBody, CurvatureInvertsTheDerivativeOfTheProjection) {
  std::mt19937_64 engine(11);
  const double rho = 0.3;
  for (int k = 0; k < 100; ++k) {
    const Eigen::SelfAdjointEigenSolver<Matrix> frame(random_symmetric(engine));
    const Eigen::Vector4d values(-1, 0.5, 1.5, 3), u = frame.eigenvectors().col(0);
    const Matrix v = frame.eigenvectors() * values.asDiagonal() * frame.eigenvectors().transpose();
    const auto without_u = [&](const Matrix& A) {
      return Matrix(A - u.dot(A * u) * u * u.transpose());
    };
    const Matrix G = without_u(random_symmetric(engine));
    const double step = 1e-6;
    const Vector g = solver::svec<4>(G);
    // along u u' there is rounding alone, which the inverse would blow up
    const Vector dg = solver::svec<4>(
        without_u((projection(v + step * G) - projection(v - step * G)) / (2 * step)));
    // lambda such that T = (lambda+ - lambda) / D is g
    const Vector lambda = rho * solver::svec<4>(projection(-v)) - dg;
    const Split split(solver::svec<4>(v) + lambda / rho, lambda, rho);
    const double tolerance = 1e-8 * g.norm();  // step^2 and eps / step, over the least slope of 1/4
    EXPECT_LE((split.pull - g).norm(), tolerance);
    EXPECT_LE((split.apply(dg) - rho * (g - dg)).norm(), tolerance);
  }
}

TEST(SolveBody, EntriesOfTheCurvatureAreItsColumns) {
  std::mt19937_64 engine(13);
  for (int k = 0; k < 50; ++k) {
    const Split split{solver::svec<4>(random_symmetric(engine)),
                      solver::svec<4>(random_symmetric(engine)), 0.7};
    for (int b = 0; b < 10; ++b) {
      const Vector column = split.apply(Vector::Unit(b));
      // up to the 1e6 of rho / kMinSlope
      for (int a = 0; a < 10; ++a)
        EXPECT_NEAR(core::curvature_entry(split.curvature, a, b), column[a], 100 * kEps * 0.7e6);
    }
  }
}

}  // namespace
}  // namespace heft
