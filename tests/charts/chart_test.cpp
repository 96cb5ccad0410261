// Charts compared with their definitions in long double and with differences, and lanes with single
// bodies; the boundary and points beyond it.
#include "heft/charts/chart.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/oracle/compare.hpp"
#include "tests/oracle/random_robot.hpp"

namespace heft {
namespace {

using oracle::largest_difference;
using oracle::largest_entry;
using Step = Eigen::Matrix<double, 10, 1>;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr ChartKind kKinds[] = {ChartKind::log_cholesky, ChartKind::exponential,
                                ChartKind::exponential_at_prior, ChartKind::manifold};

BodyChart chart_of_kind(ChartKind kind, oracle::Random& random) {
  return *BodyChart::make(kind, oracle::random_parameters(random));
}

/// Four point masses: their sums are a body by definition.
BodyParameters four_points(oracle::Random& random) {
  BodyParameters pi = BodyParameters::Zero();
  for (int i = 0; i < 4; ++i) {
    const Eigen::Vector3d place = 0.3 * random.normal3();
    pi += parameters_about_origin(random.log_uniform(0.1, 3), place, Eigen::Matrix3d::Zero());
  }
  return pi;
}

TEST(Charts, PointMassesGoThereAndBack) {
  oracle::Random random(1);
  for (int i = 0; i < 200; ++i) {
    const BodyParameters pi = four_points(random);
    for (const ChartKind kind : kKinds) {
      const BodyChart chart = chart_of_kind(kind, random);
      const ChartPoint point = chart.point(pi);
      ASSERT_EQ(point.status, BodyStatus::ok);
      ASSERT_EQ(point.numbers.size(), chart.num_numbers());
      EXPECT_LE(largest_difference(chart.parameters(point.numbers), pi), 1e-12 * largest_entry(pi))
          << enum_name(kind);
    }
  }
}

TEST(Charts, LogCholeskyIsItsDefinition) {
  oracle::Random random(2);
  for (int i = 0; i < 100; ++i) {
    const Eigen::VectorXd phi = random.normal_vector(10);
    using Matrix = Eigen::Matrix<long double, 4, 4>;
    Matrix U;
    const auto e = [&](int k) { return std::exp(static_cast<long double>(phi[k])); };
    U << e(1), phi[4], phi[6], phi[7], 0, e(2), phi[5], phi[8], 0, 0, e(3), phi[9], 0, 0, 0, 1;
    U *= e(0);
    const Matrix J = U * U.transpose();
    const BodyParameters theirs = body_parameters(J.cast<double>());
    const BodyParameters ours = BodyChart::make(ChartKind::log_cholesky)->parameters(phi);
    EXPECT_LE(largest_difference(ours, theirs), 4e-15 * largest_entry(theirs));
  }
}

TEST(Charts, ExponentialIsItsSeries) {
  oracle::Random random(3);
  for (int i = 0; i < 50; ++i) {
    const Eigen::VectorXd gamma = random.normal_vector(10);
    using Matrix = Eigen::Matrix<long double, 4, 4>;
    Matrix X;
    X << gamma[0], gamma[4], gamma[5], gamma[6], gamma[4], gamma[1], gamma[7], gamma[8], gamma[5],
        gamma[7], gamma[2], gamma[9], gamma[6], gamma[8], gamma[9], gamma[3];
    Matrix sum = Matrix::Identity(), term = sum;  // of X / 16, squared four times
    for (int k = 1; k < 40; ++k) sum += term = Matrix(term * X / 16) / k;
    for (int k = 0; k < 4; ++k) sum = Matrix(sum * sum);
    const BodyParameters theirs = body_parameters(sum.cast<double>());
    const BodyParameters ours = BodyChart::make(ChartKind::exponential)->parameters(gamma);
    EXPECT_LE(largest_difference(ours, theirs), 1e-13 * largest_entry(theirs));
  }
}

TEST(Charts, JacobiansAreDifferences) {
  oracle::Random random(4);
  for (const ChartKind kind : kKinds)
    for (int i = 0; i < 20; ++i) {
      const BodyChart chart = chart_of_kind(kind, random);
      const Eigen::VectorXd point = chart.point(four_points(random)).numbers;
      const ChartJacobian ours = chart.jacobian(point);
      for (int k = 0; k < 10; ++k) {
        // of fourth order
        const auto at = [&](double h) {
          return chart.parameters(chart.moved(point, h * Step::Unit(k)));
        };
        const double h = 1e-3;
        const BodyParameters theirs = (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h);
        EXPECT_LE(largest_difference(ours.col(k), theirs),
                  1e-9 * largest_entry(chart.parameters(point)))
            << enum_name(kind) << ", column " << k;
      }
      const BodyParameters g = random.normal_vector(10);
      const Step gradient = chart.gradient(point, g), expected = ours.transpose() * g;
      EXPECT_LE(largest_difference(gradient, expected),
                1e-13 * largest_entry(Step(ours.cwiseAbs().transpose() * g.cwiseAbs())))
          << enum_name(kind);
    }
}

TEST(Charts, LanesMatchSingleBodies) {
  oracle::Random random(5);
  for (const ChartKind kind : kKinds)
    for (const int n : {1, 3, 8, 37}) {
      const BodyChart chart = chart_of_kind(kind, random);
      Eigen::ArrayXXd parameters(n, 10), g(n, 10);
      for (int i = 0; i < n; ++i)
        parameters.row(i) = four_points(random).transpose(),
        g.row(i) = random.normal_vector(10).transpose();
      Eigen::ArrayXXd points = Eigen::ArrayXXd::Constant(1, 1, kNan), again = points,
                      gradients = points;
      Eigen::MatrixXd jacobians = Eigen::MatrixXd::Constant(1, 1, kNan);
      chart.points(parameters, points);
      chart.parameters(points, again);
      chart.gradients(points, g, gradients);
      chart.jacobians(points, jacobians);
      ASSERT_EQ(points.cols(), chart.num_numbers());
      ASSERT_EQ(jacobians.cols(), n);
      for (int i = 0; i < n; ++i) {
        const BodyParameters pi = parameters.row(i).transpose();
        const Eigen::VectorXd point = points.row(i).transpose();
        EXPECT_LE(largest_difference(again.matrix().row(i), pi.transpose()),
                  1e-12 * largest_entry(pi));
        EXPECT_LE(largest_difference(again.matrix().row(i), chart.parameters(point).transpose()),
                  1e-13 * largest_entry(pi));
        if (kind != ChartKind::manifold) {
          EXPECT_LE(largest_difference(point, chart.point(pi).numbers),
                    1e-10 * largest_entry(point));
        }
        const ChartJacobian J = chart.jacobian(point);
        const Eigen::MatrixXd in_lanes = jacobians.col(i).reshaped<Eigen::RowMajor>(10, 10);
        EXPECT_LE(largest_difference(in_lanes, J), 1e-12 * largest_entry(J));
        EXPECT_LE(largest_difference(gradients.matrix().row(i),
                                     (J.transpose() * g.matrix().row(i).transpose()).transpose()),
                  1e-12 * largest_entry(J) * 10);
      }
    }
}

TEST(Charts, LaneExponentialOverItsRange) {
  // d1 alone decides the chart's Ixx and Iyy, at m = 1: 2 e^2d
  const BodyChart chart = *BodyChart::make(ChartKind::log_cholesky);
  const int n = 4001;
  Eigen::ArrayXXd points = Eigen::ArrayXXd::Zero(n, 10), parameters;
  for (int i = 0; i < n; ++i) points(i, 0) = 0.17 * (i - 2000);
  chart.parameters(points, parameters);
  for (int i = 0; i < n; ++i) {
    const double expected = std::exp(2 * points(i, 0));
    if (std::isinf(expected) || expected < std::numeric_limits<double>::min())
      EXPECT_TRUE(std::isinf(expected) ? std::isinf(parameters(i, 0))
                                       : parameters(i, 0) <= expected)
          << points(i, 0);
    else
      EXPECT_LE(std::abs(parameters(i, 0) / expected - 1), 5e-16) << points(i, 0);
  }
}

TEST(Charts, BoundaryHasANeighbor) {
  oracle::Random random(6);
  std::vector<BodyParameters> boundary;
  boundary.push_back(
      parameters_about_origin(2, {0.1, -0.2, 0.3}, Eigen::Matrix3d::Zero()));  // a point
  boundary.push_back(parameters_about_origin(
      2, {0.1, -0.2, 0.3}, Eigen::Vector3d(0.02, 0.02, 0).asDiagonal()));  // a rod
  const Eigen::Matrix3d R = random.rotation();
  const Eigen::Matrix3d plate = R * Eigen::Vector3d(0.01, 0.03, 0.04).asDiagonal() * R.transpose();
  boundary.push_back(parameters_about_origin(2, {0.1, -0.2, 0.3}, plate));
  for (const BodyParameters& pi : boundary) {
    EXPECT_EQ(status_of(pi), BodyStatus::boundary);
    for (const ChartKind kind : kKinds) {
      const BodyChart chart = chart_of_kind(kind, random);
      const ChartPoint point = chart.point(pi);
      EXPECT_EQ(point.status, BodyStatus::boundary);
      ASSERT_EQ(point.numbers.size(), chart.num_numbers()) << enum_name(kind);
      const double near = kind == ChartKind::manifold ? 1e-15 : 1e-9;
      EXPECT_LE(largest_difference(chart.parameters(point.numbers), pi), near * largest_entry(pi))
          << enum_name(kind);
      if (kind == ChartKind::manifold) continue;
      EXPECT_EQ(status_of(chart.parameters(point.numbers)), BodyStatus::ok);
    }
  }
  // no mass: the manifold has it, the others nothing near
  const BodyParameters nothing = BodyParameters::Zero();
  EXPECT_EQ(status_of(nothing), BodyStatus::boundary);
  for (const ChartKind kind : kKinds) {
    const BodyChart chart = chart_of_kind(kind, random);
    const ChartPoint point = chart.point(nothing);
    EXPECT_EQ(point.status, BodyStatus::boundary);
    ASSERT_EQ(point.numbers.size(), kind == ChartKind::manifold ? 11 : 0);
    if (kind != ChartKind::manifold) continue;
    EXPECT_EQ(chart.parameters(point.numbers), nothing);
  }
}

TEST(Charts, ImpossibleBodiesHaveNoPoint) {
  oracle::Random random(7);
  std::vector<BodyParameters> impossible(4, four_points(random));
  impossible[0][0] = -1;                        // negative mass
  impossible[1].tail<6>() << 1, 0, 1, 0, 0, 3;  // triangle inequality
  impossible[2][4] = kNan;
  impossible[3] << 0, 0.1, 0, 0, 0, 0, 0, 0, 0, 0;  // moments without mass
  for (const BodyParameters& pi : impossible) {
    EXPECT_EQ(status_of(pi), BodyStatus::impossible);
    EXPECT_FALSE(inside(pi).has_value());
    for (const ChartKind kind : kKinds)
      EXPECT_EQ(chart_of_kind(kind, random).point(pi).numbers.size(), 0);
  }
  // a rod, beyond what rounding blurs on either side, and within it
  BodyParameters rod = parameters_about_origin(1, {0, 0, 0}, Eigen::Vector3d(1, 1, 0).asDiagonal());
  rod[core::kIzz] = -1e-12;
  EXPECT_EQ(status_of(rod), BodyStatus::impossible);
  rod[core::kIzz] = -1e-15;
  EXPECT_EQ(status_of(rod), BodyStatus::boundary);
  rod[core::kIzz] = 1e-12;
  EXPECT_EQ(status_of(rod), BodyStatus::ok);
}

TEST(Charts, PriorMustBeInside) {
  EXPECT_FALSE(BodyChart::make(ChartKind::exponential_at_prior).ok());
  const BodyParameters point = parameters_about_origin(2, {0.1, 0, 0}, Eigen::Matrix3d::Zero());
  const auto refused = BodyChart::make(ChartKind::exponential_at_prior, point);
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().what.find("not positive definite"), std::string::npos);
}

TEST(Charts, NearlyEqualAxesAndScalesFarApart) {
  oracle::Random random(8);
  for (const double gap : {0.0, 1e-15, 1e-9, 1e-5}) {
    const Eigen::Matrix3d R = random.rotation();
    const Eigen::Vector3d L(0.01, 0.01 * (1 + gap), 0.02);
    const Eigen::Matrix3d I =
        R * Eigen::Vector3d(L[1] + L[2], L[0] + L[2], L[0] + L[1]).asDiagonal() * R.transpose();
    const BodyParameters pi = parameters_about_origin(3, {0.1, 0, 0.2}, I);
    for (const ChartKind kind : kKinds) {
      const BodyChart chart = chart_of_kind(kind, random);
      const ChartPoint point = chart.point(pi);
      EXPECT_LE(largest_difference(chart.parameters(point.numbers), pi), 1e-12 * largest_entry(pi));
      EXPECT_TRUE(chart.jacobian(point.numbers).allFinite());
    }
  }
  // a grain of sand and a ship: 1e12 between masses, 1e6 between lengths
  for (const double scale : {1e-6, 1.0, 1e6}) {
    const Eigen::Vector3d c = 0.3 * scale * random.normal3();
    const Eigen::Matrix3d I =
        scale * scale * scale * scale * Eigen::Vector3d(0.2, 0.3, 0.4).asDiagonal();
    const BodyParameters pi = parameters_about_origin(scale * scale, c, I);
    for (const ChartKind kind :
         {ChartKind::log_cholesky, ChartKind::exponential_at_prior, ChartKind::manifold}) {
      const BodyChart chart = *BodyChart::make(kind, pi);
      const ChartPoint point = chart.point(pi);
      ASSERT_EQ(point.status, BodyStatus::ok) << scale;
      const BodyParameters again = chart.parameters(point.numbers);
      EXPECT_NEAR(again[0] / pi[0], 1, 1e-12);
      EXPECT_LE(largest_difference(again.tail<6>(), pi.tail<6>()),
                1e-12 * largest_entry(pi.tail<6>()))
          << scale;
    }
  }
}

TEST(Charts, ManifoldStepsTurn) {
  oracle::Random random(9);
  const BodyChart chart = *BodyChart::make(ChartKind::manifold);
  const Eigen::VectorXd point = chart.point(four_points(random)).numbers;
  const Eigen::Vector3d turn(0.4, -1.1, 0.7);
  Step step = Step::Zero();
  step.segment<3>(4) = turn;
  const Eigen::VectorXd moved = chart.moved(point, step);
  const Eigen::Quaterniond before(point[4], point[5], point[6], point[7]),
      after(moved[4], moved[5], moved[6], moved[7]);
  const Eigen::Matrix3d expected =
      before.toRotationMatrix() *
      Eigen::AngleAxisd(turn.norm(), turn.normalized()).toRotationMatrix();
  EXPECT_LE(largest_difference(after.toRotationMatrix(), expected), 1e-14);
  EXPECT_NEAR(after.norm(), 1, 1e-15);
}

}  // namespace
}  // namespace heft
