// Distances compared with closed forms, and their properties: frames, shortest paths, means.
#include "heft/charts/distance.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "heft/charts/chart.hpp"
#include "linalg/factorizations.hpp"
#include "tests/oracle/compare.hpp"
#include "tests/oracle/random_robot.hpp"

namespace heft {
namespace {

using oracle::largest_difference;
using oracle::largest_entry;

/// A body whose J is diagonal: l relative to that of ones.
BodyParameters diagonal(const Eigen::Vector4d& l) {
  return body_parameters(l.asDiagonal());
}

TEST(Distances, DiagonalBodiesHaveClosedForms) {
  const Eigen::Vector4d l(0.3, 2, 1, 5);
  const BodyDistances found = distances(diagonal(l), diagonal(Eigen::Vector4d::Ones()));
  const Eigen::Array4d a = l.array();
  EXPECT_NEAR(found.affine_invariant, std::sqrt(0.5 * a.log().square().sum()), 1e-15);
  EXPECT_NEAR(found.entropic_ab, (a - 1 - a.log()).sum(), 1e-15);
  EXPECT_NEAR(found.entropic_ba, (1 / a - 1 + a.log()).sum(), 1e-15);
  EXPECT_NEAR(found.pullback, (a - 1).square().sum(), 1e-14);
  const BodyDistances twice =
      distances(diagonal(Eigen::Vector4d::Constant(2)), diagonal(Eigen::Vector4d::Ones()));
  EXPECT_NEAR(twice.affine_invariant, std::sqrt(2) * std::log(2), 1e-15);
}

TEST(Distances, NearBodiesAgreeInTheirUnits) {
  oracle::Random random(21);
  for (int i = 0; i < 20; ++i) {
    const BodyParameters B = oracle::random_parameters(random);
    const Eigen::Matrix4d L = pseudo_inertia(B).llt().matrixL();
    Eigen::Matrix4d E = Eigen::Matrix4d::NullaryExpr([&] { return 1e-5 * random.normal(); });
    E = (E + E.transpose()).eval();
    const BodyParameters A = body_parameters(L * (Eigen::Matrix4d::Identity() + E) * L.transpose());
    const BodyDistances found = distances(A, B);
    const double d2 = found.affine_invariant * found.affine_invariant;
    EXPECT_NEAR(found.entropic_ab / d2, 1, 1e-4);
    EXPECT_NEAR(found.entropic_ba / d2, 1, 1e-4);
    EXPECT_NEAR(found.pullback / d2, 2, 2e-4);
  }
  const BodyParameters B = oracle::random_parameters(random);
  EXPECT_LE(distances(B, B).entropic_ab, 1e-30);
}

TEST(Distances, FramesAndUnitsDoNotMatter) {
  oracle::Random random(22);
  for (int i = 0; i < 20; ++i) {
    const BodyParameters A = oracle::random_parameters(random),
                         B = oracle::random_parameters(random);
    Eigen::Isometry3d X = Eigen::Isometry3d::Identity();
    X.linear() = random.rotation();
    X.translation() = random.normal3();
    const Eigen::Matrix4d T =
        Eigen::Vector4d(1e3, 1e3, 1e3, 1).asDiagonal() * X.matrix();  // millimeters
    const auto seen = [&](const BodyParameters& x) {
      return body_parameters(T * pseudo_inertia(x) * T.transpose());
    };
    const BodyDistances one = distances(A, B), other = distances(seen(A), seen(B));
    EXPECT_NEAR(other.affine_invariant / one.affine_invariant, 1, 1e-10);
    EXPECT_NEAR(other.entropic_ab / one.entropic_ab, 1, 1e-10);
    EXPECT_NEAR(other.pullback / one.pullback, 1, 1e-10);
  }
}

TEST(Distances, BoundaryAndImpossible) {
  oracle::Random random(23);
  const BodyParameters B = oracle::random_parameters(random);
  const BodyParameters point = parameters_about_origin(2, {0.1, 0, 0}, Eigen::Matrix3d::Zero());
  const BodyDistances found = distances(point, B);
  EXPECT_TRUE(std::isinf(found.affine_invariant));
  EXPECT_TRUE(std::isinf(found.entropic_ab));
  EXPECT_TRUE(std::isinf(found.entropic_ba));
  EXPECT_TRUE(std::isfinite(found.pullback));
  EXPECT_TRUE(std::isnan(distances(B, point).pullback));
  BodyParameters impossible = B;
  impossible[0] = -1;
  EXPECT_TRUE(std::isnan(distances(impossible, B).affine_invariant));
  EXPECT_FALSE(entropic_divergence(point, B).ok());
  EXPECT_TRUE(pullback_divergence(point, B).ok());
  EXPECT_FALSE(pullback_divergence(B, point).ok());
  EXPECT_FALSE(tangent_from(B, point).ok());
}

TEST(Distances, GradientsAreDifferences) {
  oracle::Random random(24);
  const BodyParameters A = oracle::random_parameters(random), B = oracle::random_parameters(random);
  for (const auto divergence : {entropic_divergence, pullback_divergence}) {
    const Divergence at = *divergence(A, B);
    for (int k = 0; k < 10; ++k) {
      const double h = 1e-5 * std::abs(A[k]);
      const BodyParameters step = h * BodyParameters::Unit(k);
      const Divergence above = *divergence(A + step, B), below = *divergence(A - step, B);
      EXPECT_NEAR(at.gradient[k], (above.value - below.value) / (2 * h),
                  1e-6 * largest_entry(at.gradient));
      const BodyParameters slope = (above.gradient - below.gradient) / (2 * h);
      EXPECT_LE(largest_difference(BodyParameters(at.hessian.col(k)), slope),
                1e-6 * largest_entry(at.hessian));
    }
  }
}

TEST(Distances, ShortestWayIsStraightAndOfItsLength) {
  oracle::Random random(25);
  for (int i = 0; i < 20; ++i) {
    const BodyParameters A = oracle::random_parameters(random),
                         B = oracle::random_parameters(random);
    const double whole = distances(A, B).affine_invariant;
    EXPECT_LE(largest_difference(*geodesic(A, B, 0), A), 1e-13 * largest_entry(A));
    EXPECT_LE(largest_difference(*geodesic(A, B, 1), B), 1e-11 * largest_entry(B));
    for (const double t : {0.25, 0.7}) {
      const BodyParameters between = *geodesic(A, B, t);
      EXPECT_EQ(status_of(between), BodyStatus::ok);
      EXPECT_NEAR(distances(A, between).affine_invariant, t * whole, 1e-9 * whole);
      EXPECT_NEAR(distances(between, B).affine_invariant, (1 - t) * whole, 1e-9 * whole);
    }
    EXPECT_NEAR(tangent_from(A, B)->norm(), whole, 1e-10 * whole);
    // the middle is the same from both ends
    EXPECT_LE(largest_difference(*geodesic(A, B, 0.5), *geodesic(B, A, 0.5)),
              1e-10 * largest_entry(A));
  }
  const BodyParameters A = oracle::random_parameters(random), B = oracle::random_parameters(random);
  EXPECT_FALSE(geodesic(A, B, 1e6).ok());
  EXPECT_FALSE(geodesic(A, B, NAN).ok());
}

TEST(Distances, MeanOfBodiesThatCommuteIsGeometric) {
  const std::vector<BodyParameters> bodies = {diagonal({1, 2, 3, 4}), diagonal({4, 2, 1, 1}),
                                              diagonal({2, 1, 9, 0.5})};
  const std::vector<double> weights = {1, 2, 3};
  const BodyMean mean = *karcher_mean(bodies, weights);
  EXPECT_TRUE(mean.converged);
  const Eigen::Array4d logs =
      (Eigen::Array4d(1, 2, 3, 4).log() + 2 * Eigen::Array4d(4, 2, 1, 1).log() +
       3 * Eigen::Array4d(2, 1, 9, 0.5).log()) /
      6;
  EXPECT_LE(largest_difference(mean.body, diagonal(logs.exp())), 1e-12);
  double squares = 0;
  for (std::size_t i = 0; i < 3; ++i)
    squares += weights[i] / 6 * std::pow(distances(mean.body, bodies[i]).affine_invariant, 2);
  EXPECT_NEAR(mean.rms_distance, std::sqrt(squares), 1e-12);
  EXPECT_NEAR(mean.covariance.trace(), squares, 1e-12);
}

TEST(Distances, MeanHasTheLeastSumOfSquares) {
  oracle::Random random(26);
  std::vector<BodyParameters> bodies;
  std::vector<double> weights;
  for (int i = 0; i < 12; ++i)
    bodies.push_back(oracle::random_parameters(random)), weights.push_back(random.uniform(0, 2));
  const BodyMean mean = *karcher_mean(bodies, weights);
  ASSERT_TRUE(mean.converged) << mean.residual << " after " << mean.iterations;
  const auto cost = [&](const BodyParameters& x) {
    double sum = 0;
    for (std::size_t i = 0; i < bodies.size(); ++i)
      sum += weights[i] * std::pow(distances(x, bodies[i]).affine_invariant, 2);
    return sum;
  };
  const double least = cost(mean.body);
  for (int k = 0; k < 10; ++k)
    for (const double sign : {-1.0, 1.0}) {
      const BodyParameters moved =
          *geodesic(mean.body, bodies[static_cast<std::size_t>(k)], sign * 1e-3);
      EXPECT_GT(cost(moved), least);
    }
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(Eigen::MatrixXd(mean.covariance));
  EXPECT_GT(eigen.eigenvalues()[0], -1e-12);
}

TEST(Distances, ReportsAMeanThatDoesNotConverge) {
  oracle::Random random(27);
  std::vector<BodyParameters> bodies;
  for (int i = 0; i < 5; ++i) bodies.push_back(oracle::random_parameters(random));
  const BodyMean mean = *karcher_mean(bodies, {}, {.max_iterations = 1});
  EXPECT_FALSE(mean.converged);
  EXPECT_EQ(mean.iterations, 1);
  EXPECT_GT(mean.residual, 1e-9);
  EXPECT_EQ(status_of(mean.body), BodyStatus::ok);
  EXPECT_FALSE(karcher_mean({}).ok());
  EXPECT_FALSE(karcher_mean(bodies, {1, 2}).ok());
  EXPECT_FALSE(karcher_mean(bodies, {1, 1, 1, 1, -1}).ok());
  EXPECT_FALSE(karcher_mean(bodies, {0, 0, 0, 0, 0}).ok());
  bodies[2] = parameters_about_origin(2, {0.1, 0, 0}, Eigen::Matrix3d::Zero());
  EXPECT_FALSE(karcher_mean(bodies).ok());
}

}  // namespace
}  // namespace heft
