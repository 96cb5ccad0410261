// The construction behind "mass in an ellipsoid is J >= 0 and tr(J E) >= 0" ([Wensing 2018] Thm 4):
// every such J is that of four point masses inside. With J = U U' and an orthogonal V,
//
//   J = sum_k u_k u_k',   u_k the columns of U V,   tr(J E) = sum_k u_k'E u_k
//
// and V can make the four terms equal, so none is negative. A vector u = sqrt(m) [p; 1] with u'E u
// >= 0 is a mass m at a point p inside.
#include <gtest/gtest.h>

#include <cmath>

#include "heft/solve/problem.hpp"
#include "heft/solve/solve.hpp"
#include "linalg/factorizations.hpp"
#include "test_support.hpp"

namespace heft {
namespace {

struct Ellipsoid {
  Eigen::Vector3d center, semi_axes;
  Eigen::Matrix3d R;

  // 1 on the surface, from the definition
  double distance(const Eigen::Vector3d& point) const {
    return (R.transpose() * (point - center)).cwiseQuotient(semi_axes).norm();
  }
};

Ellipsoid random_ellipsoid(test::Random& random) {
  const Eigen::Quaterniond turn(Eigen::Vector4d(random.normal(4, 1)).normalized());
  return {
      0.3 * random.normal(3, 1),
      Eigen::Vector3d{random.uniform(0.02, 1), random.uniform(0.02, 1), random.uniform(0.02, 1)},
      turn.toRotationMatrix()};
}

// Columns u_k of J = sum u_k u_k' with equal u_k'E u_k: rotations in the plane of the largest and
// the smallest make one of the two the mean.
Eigen::Matrix4d equal_shares(const Eigen::Matrix4d& J, const Eigen::Matrix4d& E) {
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix4d> eigen(J);
  Eigen::Matrix4d U =
      eigen.eigenvectors() * eigen.eigenvalues().cwiseMax(0).cwiseSqrt().asDiagonal();
  const double mean = (J * E).trace() / 4;
  for (int rotation = 0; rotation < 3; ++rotation) {
    const Eigen::Matrix4d M = U.transpose() * E * U;
    int i = 0, j = 0;
    for (int k = 1; k < 4; ++k) {
      if (M(k, k) > M(i, i)) i = k;
      if (M(k, k) < M(j, j)) j = k;
    }
    if (i == j) break;
    // c^2 M_ii + 2 c s M_ij + s^2 M_jj = mean, a quadratic in the tangent whose roots are real
    const double a = M(j, j) - mean, b = M(i, j), c = M(i, i) - mean;
    if (!(c > 0) || !(a < 0)) break;
    const double t = (-b - std::sqrt(b * b - a * c)) / a, cosine = 1 / std::sqrt(1 + t * t);
    const Eigen::Vector4d u = U.col(i), v = U.col(j);
    U.col(i) = cosine * (u + t * v);
    U.col(j) = cosine * (v - t * u);
  }
  return U;
}

// J is rebuilt from four masses, none of them outside by more than rounding
void expect_masses_inside(const Eigen::Matrix4d& J, const Ellipsoid& ellipsoid,
                          const Eigen::Matrix4d& E) {
  const Eigen::Matrix4d U = equal_shares(J, E);
  Eigen::Matrix4d sum = Eigen::Matrix4d::Zero();
  const double rounding = 1e-14 * J.norm() * E.norm();  // of u'E u
  for (int k = 0; k < 4; ++k) {
    const Eigen::Vector4d u = U.col(k);
    const double mass = u[3] * u[3];
    if (mass * E.norm() <= rounding) {
      // no mass, so nowhere: u'E u >= 0 leaves nothing of u
      EXPECT_LE(u.squaredNorm(), 1e-6 * J.norm());
      continue;
    }
    const Eigen::Vector3d point = u.head<3>() / u[3];
    EXPECT_LE(mass * (ellipsoid.distance(point) * ellipsoid.distance(point) - 1), rounding);
    Eigen::Vector4d homogeneous;
    homogeneous << point, 1;
    sum += mass * homogeneous * homogeneous.transpose();
  }
  EXPECT_LE((sum - J).norm(), 1e-6 * J.norm());
}

TEST(EllipsoidTheorem, EveryAdmittedBodyIsFourMassesInside) {
  test::Random random(47);
  for (int trial = 0; trial < 400; ++trial) {
    const Ellipsoid ellipsoid = random_ellipsoid(random);
    const Eigen::Matrix4d E = ellipsoid_matrix(ellipsoid.center, ellipsoid.semi_axes, ellipsoid.R);
    // any J >= 0 of rank 1 to 4 around the ellipsoid, moments of its own size
    const int rank = 1 + trial % 4;
    Eigen::MatrixXd A = random.normal(4, rank);
    A.topRows(3) =
        ellipsoid.R * ellipsoid.semi_axes.asDiagonal() * A.topRows(3) + ellipsoid.center * A.row(3);
    Eigen::Matrix4d J = A * A.transpose();
    double admitted = (J * E).trace();
    if (admitted < 0) {
      // outside: a mass at the center, whose own value is 1 per kg, brings it to the boundary of
      // the theorem
      Eigen::Vector4d center;
      center << ellipsoid.center, 1;
      J += -admitted * (1 + 1e-12) * center * center.transpose();
      admitted = (J * E).trace();
    }
    ASSERT_GE(admitted, -1e-13 * J.norm() * E.norm());
    expect_masses_inside(J, ellipsoid, E);
  }
}

TEST(EllipsoidTheorem, MassesOutsideAreNotAdmitted) {
  test::Random random(53);
  for (int trial = 0; trial < 200; ++trial) {
    const Ellipsoid ellipsoid = random_ellipsoid(random);
    const Eigen::Matrix4d E = ellipsoid_matrix(ellipsoid.center, ellipsoid.semi_axes, ellipsoid.R);
    const Eigen::Vector3d direction = Eigen::Vector3d(random.normal(3, 1)).normalized();
    for (const double radius : {0.5, 0.999, 1.001, 3.0}) {
      Eigen::Vector4d u;
      u << ellipsoid.center + ellipsoid.R * ellipsoid.semi_axes.cwiseProduct(radius * direction), 1;
      EXPECT_EQ(u.dot(E * u) >= 0, radius < 1) << radius;
    }
  }
}

TEST(EllipsoidTheorem, TheSolversAnswerFitsIntoItsEllipsoid) {
  test::Random random(59);
  const ParameterLayout layout = test::make_layout(2, 0);
  const Ellipsoid box{{0.02, -0.01, 0.05}, {0.08, 0.1, 0.12}, Eigen::Matrix3d::Identity()};
  std::vector<BodyParameters> references = {random.body(), random.body()};
  Eigen::VectorXd truth(20);
  // far larger than the ellipsoid allows, so that the bound is what decides
  for (int body = 0; body < 2; ++body) {
    const Eigen::Isometry3d away(Eigen::Translation3d(0.5, 0.3, -0.4));
    truth.segment<10>(10 * body) = transformed(away, references[body]);
  }
  const auto equations = test::random_equations(random, truth, 200, 20, 0.1);
  Constraints constraints;
  constraints.volumes.push_back({0, {ellipsoid_matrix(box.center, box.semi_axes)}});
  const auto problem =
      make_problem(layout, equations, *make_prior(layout, references), constraints);
  ASSERT_TRUE(problem) << problem.error().message();
  const auto solution = solve(*problem);
  ASSERT_EQ(solution->status, SolveStatus::optimal) << solution->reason;
  const Eigen::Matrix4d J = pseudo_inertia(BodyParameters(solution->x.head<10>()));
  const Eigen::Matrix4d E = ellipsoid_matrix(box.center, box.semi_axes);
  EXPECT_LE((J * E).trace(), 1e-4 * J(3, 3));  // active
  // what the violation tolerance lets through is inside an ellipsoid larger by as much
  const Ellipsoid larger{box.center, (1 + 1e-6) * box.semi_axes, box.R};
  expect_masses_inside(J, larger, ellipsoid_matrix(larger.center, larger.semi_axes));
}

}  // namespace
}  // namespace heft
