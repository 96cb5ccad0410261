// Jets compared with derivatives computed by hand, and point clouds with the sums that define the
// parameters.
#include "tests/oracle/jet.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "tests/oracle/compare.hpp"
#include "tests/oracle/point_mass_lagrangian.hpp"
#include "tests/oracle/random.hpp"
#include "tests/oracle/random_robot.hpp"

namespace heft::oracle {
namespace {

constexpr Real kLongEps = std::numeric_limits<Real>::epsilon();

TEST(Jet, ProductOfSineAndCosineFollowsTheChainRule) {
  // x = a + b t + c t^2 + eps (d + e t); f = sin(x) cos(x) = 1/2 sin(2x)
  const Real a = 0.7L, b = -1.3L, c = 0.4L, d = 2.1L, e = -0.6L;
  const Jet t = Jet::monomial(0, 1), eps = Jet::monomial(1, 0);
  const Jet x = Jet(a) + Jet(b) * t + Jet(c) * t * t + eps * (Jet(d) + Jet(e) * t);
  const Jet f = sin(x) * cos(x);

  const Real f0 = std::sin(2 * a) / 2, f1 = std::cos(2 * a), f2 = -2 * std::sin(2 * a),
             f3 = -4 * f1;
  const Real tolerance = 32 * kLongEps;
  EXPECT_LE(std::abs(f.c[0][0] - (f0)), tolerance);
  EXPECT_LE(std::abs(f.c[0][1] - (f1 * b)), tolerance);
  EXPECT_LE(std::abs(f.c[0][2] - (f1 * c + f2 * b * b / 2)), tolerance);
  EXPECT_LE(std::abs(f.c[1][0] - (f1 * d)), tolerance);
  EXPECT_LE(std::abs(f.c[1][1] - (f1 * e + f2 * b * d)), tolerance);
  EXPECT_LE(std::abs(f.c[1][2] - (f2 * (c * d + b * e) + f3 * b * b * d / 2)), tolerance);
}

TEST(Jet, TimeDerivativeShiftsTheCoefficients) {
  const Jet t = Jet::monomial(0, 1), eps = Jet::monomial(1, 0);
  const Jet x = Jet(1) + Jet(2) * t + Jet(3) * t * t + eps * (Jet(4) + Jet(5) * t + Jet(6) * t * t);
  EXPECT_EQ(time_derivative(x), Jet(2) + Jet(6) * t + eps * (Jet(5) + Jet(12) * t));
}

// m = sum m_k, h = sum m_k x, I = sum m_k (|x|^2 1 - x x')
void expect_cloud_has(const BodyParameters& parameters) {
  Real mass = 0;
  Vector3r h = Vector3r::Zero();
  Matrix3r I = Matrix3r::Zero();
  for (const auto& [point_mass, x] : point_masses(parameters)) {
    mass += point_mass;
    h += point_mass * x;
    I += point_mass * (x.squaredNorm() * Matrix3r::Identity() - x * x.transpose());
  }
  Eigen::Matrix<Real, 10, 1> summed;
  summed << mass, h, I(0, 0), I(0, 1), I(1, 1), I(0, 2), I(1, 2), I(2, 2);
  const Real error = largest_difference(summed, parameters.cast<Real>());
  EXPECT_LE(error, 32 * kLongEps * largest_entry(parameters)) << parameters.transpose();
}

TEST(PointMasses, HaveTheTenParametersOfAnyBody) {
  Random random(1);
  for (int i = 0; i < 100; ++i) expect_cloud_has(random_parameters(random));
}

TEST(PointMasses, HaveTheTenParametersOfUnitVectorsAndOfNothing) {
  for (int i = 0; i < 10; ++i) expect_cloud_has(BodyParameters::Unit(i));
  expect_cloud_has(BodyParameters::Zero());
}

}  // namespace
}  // namespace heft::oracle
