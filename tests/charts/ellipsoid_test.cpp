// Mass in ellipsoids: the three margins of Fig. 3, witnesses, and masses that are known to be
// inside or outside.
#include "charts/ellipsoid.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "heft/solve/problem.hpp"
#include "tests/oracle/compare.hpp"
#include "tests/oracle/random.hpp"

namespace heft {
namespace {

/// A body of 1 kg at c whose covariance ellipsoid has these squared semi-axes.
BodyParameters with_covariance(const Eigen::Vector3d& squares,
                               const Eigen::Vector3d& c = Eigen::Vector3d::Zero()) {
  const Eigen::Vector3d I(squares.y() + squares.z(), squares.x() + squares.z(),
                          squares.x() + squares.y());
  return parameters_about_origin(1, c, I.asDiagonal());
}

const Eigen::Vector3d kSemiAxes(std::sqrt(5.0), std::sqrt(2.0), 1);

BodyParameters sum(const std::vector<PointMass>& masses) {
  BodyParameters pi = BodyParameters::Zero();
  for (const PointMass& p : masses)
    pi += parameters_about_origin(p.mass, p.place, Eigen::Matrix3d::Zero());
  return pi;
}

TEST(Ellipsoids, ThreeMarginsOfTheFigure) {
  const Eigen::Matrix4d Q = ellipsoid_matrix(Eigen::Vector3d::Zero(), kSemiAxes);
  EXPECT_NEAR(ellipsoid_margin(with_covariance({0.9, 0.2, 0.2}), Q), 0.52, 1e-15);
  EXPECT_NEAR(ellipsoid_margin(with_covariance({0.2, 0.9, 0.2}), Q), 0.31, 1e-15);
  EXPECT_NEAR(ellipsoid_margin(with_covariance({0.2, 0.2, 0.9}), Q), -0.04, 1e-15);
  EXPECT_FALSE(masses_within(with_covariance({0.2, 0.2, 0.9}), Q).ok());
  // how far the center of mass may move, long axis along x
  const Eigen::Vector3d reach(1.61245154965971, 1.019803902718557, 0.7211102550927979);
  for (int k = 0; k < 3; ++k) {
    const auto margin = [&](double share) {
      return ellipsoid_margin(
          with_covariance({0.9, 0.2, 0.2}, share * reach[k] * Eigen::Vector3d::Unit(k)), Q);
    };
    EXPECT_NEAR(margin(1), 0, 1e-14);
    EXPECT_GT(margin(0.999), 0);
    EXPECT_LT(margin(1.001), 0);
  }
}

TEST(Ellipsoids, WitnessesAreInsideAndAddUp) {
  oracle::Random random(31);
  int fitted = 0, refused = 0;
  for (int i = 0; i < 500; ++i) {
    const Eigen::Vector3d center = random.normal3(),
                          axes{random.log_uniform(0.1, 2), random.log_uniform(0.1, 2), 1};
    const Eigen::Matrix3d R = random.rotation();
    const Eigen::Matrix4d Q = ellipsoid_matrix(center, axes, R);
    // points inside, as many as four or more make any body; every third case they are all over the
    // place
    std::vector<PointMass> points;
    const int count = random.integer(1, 6);
    const double spread = i % 3 == 2 ? 1.5 : random.uniform(0.3, 1);
    bool all_inside = true;
    for (int k = 0; k < count; ++k) {
      const double radius = spread * std::cbrt(random.uniform());
      all_inside = all_inside && radius <= 1;
      points.push_back({random.log_uniform(0.1, 2),
                        center + R * (axes.asDiagonal() * (radius * random.direction()))});
    }
    const BodyParameters pi = sum(points);
    const auto witness = masses_within(pi, Q);
    if (all_inside) {
      ASSERT_TRUE(witness.ok()) << witness.error().message();
    }
    if (!witness) {
      ++refused;
      EXPECT_LT(ellipsoid_margin(pi, Q), 0);
      continue;
    }
    ++fitted;
    EXPECT_LE(witness->size(), 4u);
    EXPECT_LE(oracle::largest_difference(sum(*witness), pi), 1e-12 * oracle::largest_entry(pi));
    for (const PointMass& p : *witness) {
      EXPECT_GT(p.mass, 0);
      const Eigen::Vector3d r = (R.transpose() * (p.place - center)).cwiseQuotient(axes);
      EXPECT_LE(r.squaredNorm(), 1 + 1e-9);
    }
  }
  EXPECT_GT(fitted, 300);
  EXPECT_GT(refused, 10);
}

TEST(Ellipsoids, FewerPointsThanFour) {
  const Eigen::Matrix4d Q = ellipsoid_matrix(Eigen::Vector3d::Zero(), kSemiAxes);
  const BodyParameters point =
      parameters_about_origin(2, {0.5, 0.1, -0.2}, Eigen::Matrix3d::Zero());
  const auto witness = masses_within(point, Q);
  ASSERT_TRUE(witness.ok());
  EXPECT_LE(oracle::largest_difference(sum(*witness), point), 1e-12);
  EXPECT_FALSE(masses_within(BodyParameters::Zero(), Q).ok());
  EXPECT_TRUE(std::isnan(ellipsoid_margin(BodyParameters::Zero(), Q)));
  BodyParameters impossible = point;
  impossible[core::kIxx] = -1;
  EXPECT_FALSE(masses_within(impossible, Q).ok());
}

}  // namespace
}  // namespace heft
