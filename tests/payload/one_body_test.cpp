// The problem of one body in fixed sizes, compared with the general solver and the general
// certificate.
#include <gtest/gtest.h>

#include "base/random_stream.hpp"
#include "heft/solve/solve.hpp"
#include "host/applications/payload/methods/one_body.hpp"
#include "linalg/factorizations.hpp"

namespace heft {
namespace {

using payload::OneBodyProblem;

const ParameterLayout kLayout{.bodies = {"payload"}, .body_index = {0}, .columns = {}};

/// A random body of extents between a centimeter and half a meter.
BodyParameters random_body(RandomStream& random) {
  Eigen::Matrix3d A;
  for (int k = 0; k < 9; ++k) {
    A.data()[k] = random.normal();
    A.data()[k] *= std::pow(10, random.uniform(-2, -0.5));
  }
  const Eigen::Vector3d com{random.normal() * 0.1, random.normal() * 0.1, random.normal() * 0.1};
  const Eigen::Matrix3d covariance = A * A.transpose() + 1e-4 * Eigen::Matrix3d::Identity();
  return parameters_about_origin(random.uniform(0.1, 5), com,
                                 covariance.trace() * Eigen::Matrix3d::Identity() - covariance);
}

/// Rows of random size about a truth that is another body, or none: then the optimum touches the
/// cone.
OneBodyProblem random_problem(RandomStream& random) {
  OneBodyProblem problem;
  problem.reference = random_body(random);
  BodyParameters truth = random_body(random);
  if (random.uniform() < 0.7) truth.tail<6>() *= -random.uniform();
  constexpr int kRows = 60;
  const double noise = std::pow(10, random.uniform(-3, 0));
  for (int row = 0; row < kRows; ++row) {
    BodyParameters y;
    for (int k = 0; k < 10; ++k) y[k] = random.normal() * (k < 4 ? 10 : 3);
    const double b = y.dot(truth) + noise * random.normal();
    const double weight = 1 / (noise * noise);
    problem.sums.G += weight * y * y.transpose();
    problem.sums.b += weight * b * y;
    problem.sums.tau2 += weight * b * b;
  }
  problem.sums.num_rows = kRows;
  problem.weight = std::pow(10, random.uniform(-3, 2));
  return problem;
}

Problem general(const OneBodyProblem& one) {
  const auto prior = make_prior(kLayout, {one.reference},
                                {.kind = PriorKind::metric, .weight = one.weight, .ridge = 0});
  return *make_problem(kLayout, {one.sums.G, one.sums.b, one.sums.tau2, one.sums.num_rows}, *prior,
                       {.margin = one.margin});
}

TEST(OneBody, AgreesWithTheGeneralSolver) {
  RandomStream random(7);
  int inside = 0, on_the_cone = 0, left = 0;
  constexpr int kProblems = 300;
  for (int k = 0; k < kProblems; ++k) {
    const OneBodyProblem problem = random_problem(random);
    const Problem other = general(problem);
    const auto expected = solve(other, {.method = SolveMethod::interior_point,
                                        .gap_tolerance = 1e-12,
                                        .violation_tolerance = 1e-12});
    ASSERT_TRUE(expected.ok());
    const payload::OneBodySolution found = payload::solve_one_body(problem);
    const Certificate ours = payload::certify_one_body(problem, found.x, found.multiplier);
    left += !found.converged || !ours.certified;
    if (!found.converged || !ours.certified) continue;
    (found.steps == 0 ? inside : on_the_cone) += 1;
    // of the general solver too, in double precision: what is left of tau2 / N after cancelling
    const double rounding = 1e-14 * problem.sums.tau2 / problem.sums.num_rows;
    EXPECT_NEAR(found.objective, expected->objective,
                1e-8 * std::abs(expected->objective) + rounding)
        << k;
    EXPECT_NEAR(ours.primal, found.objective, 1e-9 * std::abs(found.objective) + rounding) << k;
    const BodyParameters x = expected->x.head<10>();
    EXPECT_LE((found.x - x).norm(), 1e-5 * x.norm()) << k;
  }
  EXPECT_GE(inside, kProblems / 10);
  EXPECT_GE(on_the_cone, kProblems / 4);
  EXPECT_LE(left, kProblems / 30) << "left to the general solver";
}

TEST(OneBody, CertificateIsThatOfTheRoomSolve) {
  RandomStream random(11);
  for (int k = 0; k < 60; ++k) {
    const OneBodyProblem problem = random_problem(random);
    const Problem other = general(problem);
    auto solution = *solve(other, {.method = SolveMethod::interior_point});
    // answers that are not optimal, and multipliers outside the cone
    const double wrong = k % 3 == 0 ? 0 : 1e-3;
    const BodyParameters x = (1 - wrong) * solution.x.head<10>() + wrong * problem.reference;
    solution.x.head<10>() = x;
    if (k % 3 == 2) solution.multipliers *= -1;
    const Certificate expected = certify(other, solution);
    // svec of the general form to a matrix
    Eigen::Matrix4d multiplier;
    for (int column = 0, at = 0; column < 4; ++column)
      for (int row = column; row < 4; ++row, ++at)
        multiplier(row, column) = multiplier(column, row) =
            row == column ? solution.multipliers[at] : solution.multipliers[at] / std::sqrt(2.0);
    const Certificate found = payload::certify_one_body(problem, x, multiplier);
    EXPECT_EQ(found.certified, expected.certified)
        << k << " " << found.verdict << " / " << expected.verdict;
    EXPECT_NEAR(found.gap, expected.gap, 1e-6 * std::abs(expected.gap) + 1e-11) << k;
    EXPECT_NEAR(found.primal, expected.primal,
                1e-12 * std::abs(expected.primal) + 1e-16 * problem.sums.tau2)
        << k;
    EXPECT_NEAR(found.psd_margin[0], expected.psd_margin[0], 1e-12) << k;
  }
}

TEST(OneBody, CertifiesOnlyOptima) {
  RandomStream random(13);
  OneBodyProblem problem = random_problem(random);
  BodyParameters x = problem.reference;
  EXPECT_FALSE(payload::certify_one_body(problem, x, Eigen::Matrix4d::Zero()).certified);
  x[3] = std::nan("");
  EXPECT_FALSE(payload::certify_one_body(problem, x, Eigen::Matrix4d::Zero()).certified);
  problem.reference[0] = -1;
  EXPECT_FALSE(payload::solve_one_body(problem).converged);
  EXPECT_FALSE(payload::certify_one_body(problem, x, Eigen::Matrix4d::Zero()).certified);
}

}  // namespace
}  // namespace heft
