// Constraints beyond the cone: they hold at the optimum, are active where they should be, and
// exactness claims are true.
#include <gtest/gtest.h>

#include <cmath>

#include "heft/solve/solve.hpp"
#include "linalg/factorizations.hpp"
#include "test_support.hpp"

namespace heft {
namespace {

// One body seen completely by the data, so that the unconstrained answer is `truth`.
struct OneLink {
  ParameterLayout layout = test::make_layout(1, 0);
  std::vector<BodyParameters> references;
  NormalEquations equations;

  explicit OneLink(const BodyParameters& truth) {
    test::Random random(31);
    references = {parameters_about_origin(2, {0, 0, 0}, 0.02 * Eigen::Matrix3d::Identity())};
    equations = test::random_equations(random, truth, 100, 10, 0);
  }

  // both methods must agree; returns the parameters
  BodyParameters solve_both(const Constraints& constraints) {
    PriorOptions options;
    options.weight = 1e-3;
    const auto prior = make_prior(layout, references, options);
    const auto problem = make_problem(layout, equations, *prior, constraints);
    EXPECT_TRUE(problem) << problem.error().message();
    BodyParameters answer[2];
    double objective[2];
    for (const int k : {0, 1}) {
      SolveOptions solve_options;
      solve_options.violation_tolerance = 1e-8;  // splitting is slow to close the last digits of
                                                 // general rows
      solve_options.method = k == 0 ? SolveMethod::interior_point : SolveMethod::admm;
      const auto solution = solve(*problem, solve_options);
      EXPECT_EQ(solution->status, SolveStatus::optimal) << solution->reason;
      const Certificate certificate = certify(*problem, *solution);
      EXPECT_TRUE(certificate.certified) << certificate.verdict;
      answer[k] = solution->x.head<10>();
      objective[k] = solution->objective;
    }
    EXPECT_NEAR(objective[0], objective[1], 1e-6 * std::abs(objective[0]) + 1e-9);
    return answer[0];
  }
};

Eigen::Vector3d com(const BodyParameters& body) {
  return body.segment<3>(core::kMcx) / body[core::kMass];
}

TEST(ConstraintKinds, CenterOfMassEndsOnTheSurfaceOfItsEllipsoid) {
  OneLink link(parameters_about_origin(2, {0.3, 0.1, 0}, 0.02 * Eigen::Matrix3d::Identity()));
  EXPECT_NEAR(com(link.solve_both({}))[0], 0.3, 0.05);
  Constraints constraints;
  const Eigen::Vector3d center(0.05, 0, 0);
  const Eigen::Matrix3d shape = Eigen::Vector3d(0.1 * 0.1, 0.05 * 0.05, 0.2 * 0.2).asDiagonal();
  constraints.com_ellipsoids.push_back({0, center, shape});
  const Eigen::Vector3d offset = com(link.solve_both(constraints)) - center;
  EXPECT_NEAR(offset.dot(shape.inverse() * offset), 1, 1e-5);
}

TEST(ConstraintKinds, CenterOfMassEndsOnTheFaceOfItsPolytope) {
  OneLink link(parameters_about_origin(2, {0.3, 0.1, 0}, 0.02 * Eigen::Matrix3d::Identity()));
  Constraints constraints;
  Eigen::MatrixX3d A(1, 3);
  A << 1, 1, 0;
  constraints.linear = com_polytope(link.layout, 0, A, Eigen::VectorXd::Constant(1, 0.2));
  EXPECT_NEAR((A * com(link.solve_both(constraints)))[0], 0.2, 1e-6);
}

TEST(ConstraintKinds, SemiConsistencyAllowsImpossibleBodies) {
  // a tensor that breaks the triangle inequality but keeps kinetic energy positive
  OneLink link(
      parameters_about_origin(2, {0, 0, 0}, Eigen::Vector3d(0.01, 0.01, 0.06).asDiagonal()));
  const auto is_possible = [](const BodyParameters& body) {
    return Eigen::SelfAdjointEigenSolver<Eigen::Matrix4d>(pseudo_inertia(body)).eigenvalues()[0] >
           0;
  };
  Constraints constraints;
  EXPECT_TRUE(is_possible(link.solve_both(constraints)));
  constraints.consistency = Consistency::semi;
  EXPECT_FALSE(is_possible(link.solve_both(constraints)));

  // and it does forbid a negative mass
  OneLink negative(parameters_about_origin(-1, {0, 0, 0}, 0.02 * Eigen::Matrix3d::Identity()));
  EXPECT_GT(negative.solve_both(constraints)[core::kMass], 0);
  constraints.consistency = Consistency::none;
  EXPECT_LT(negative.solve_both(constraints)[core::kMass], 0);
}

TEST(ConstraintKinds, AUnionOfEllipsoidsIsLargerThanEachAndSmallerThanTheirHull) {
  // two balls on the x axis; a dumbbell fits the union, and neither ball alone
  const Eigen::Vector3d left(-0.2, 0, 0), right(0.2, 0, 0), radii = Eigen::Vector3d::Constant(0.1);
  const BodyParameters dumbbell =
      parameters_about_origin(1, left, 0.001 * Eigen::Matrix3d::Identity()) +
      parameters_about_origin(1, right, 0.001 * Eigen::Matrix3d::Identity());
  OneLink link(dumbbell);
  const auto error = [&](const BodyParameters& body) {
    return (body - dumbbell).norm() / dumbbell.norm();
  };
  Constraints free, both, one;
  both.volumes = {{0, {ellipsoid_matrix(left, radii), ellipsoid_matrix(right, radii)}}};
  one.volumes = {{0, {ellipsoid_matrix(left, radii)}}};
  const double baseline = error(link.solve_both(free));
  EXPECT_NEAR(error(link.solve_both(both)), baseline, 0.1 * baseline);
  EXPECT_GT(error(link.solve_both(one)), 3 * baseline);

  // mass at the middle is in the hull of the balls, not in their union: covariance along x cannot
  // vanish
  OneLink middle(
      parameters_about_origin(2, {0, 0, 0}, Eigen::Vector3d(0.002, 0.001, 0.001).asDiagonal()));
  const BodyParameters answer = middle.solve_both(both);
  const double second_moment = pseudo_inertia(answer)(0, 0) / answer[core::kMass];
  EXPECT_GE(second_moment, 0.1 * 0.1 - 1e-6);  // no point of either ball is nearer to x = 0
}

TEST(ConstraintKinds, AFixedMassIsMetToTheLastBits) {
  OneLink link(parameters_about_origin(2, {0.1, 0.1, 0}, 0.02 * Eigen::Matrix3d::Identity()));
  Constraints constraints;
  constraints.linear = {fixed_mass(link.layout, 0, 2.5)};
  EXPECT_NEAR(link.solve_both(constraints)[core::kMass], 2.5, 1e-14);
}

}  // namespace
}  // namespace heft
