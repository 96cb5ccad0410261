// New data in a problem compared with a new problem; warm starts with cold ones.
#include "solve/warm_solver.hpp"

#include <gtest/gtest.h>

#include "heft/solve/solve.hpp"
#include "tests/solve/random_problems.hpp"

namespace heft {
namespace {

std::vector<Problem> problems() {
  return test::random_problems(
      12,
      {.seed = 17, .num_bodies = 4, .num_columns = 3, .num_rows = 60, .least_prior_weight = 1e-3});
}

/// A little of other data beside what there is.
NormalEquations disturbed(NormalEquations equations, unsigned seed) {
  test::Random random(seed);
  const Eigen::Index P = equations.b.size();
  const Eigen::MatrixXd Y = random.normal(3, P);
  const Eigen::VectorXd tau = random.normal(3, 1);
  equations.G += Y.transpose() * Y;
  equations.b += Y.transpose() * tau;
  equations.tau2 += tau.squaredNorm();
  equations.num_rows += 3;
  return equations;
}

TEST(WarmSolver, UpdatedProblemsAreThoseMadeAgain) {
  for (Problem& problem : problems()) {
    const NormalEquations other = disturbed(problem.data, 5);
    const Problem fresh = *make_problem(problem.layout, other, problem.prior);
    ASSERT_TRUE(problem.update(other));
    const auto updated = solve(problem), expected = solve(fresh);
    ASSERT_EQ(updated->status, SolveStatus::optimal) << updated->reason;
    const Certificate certificate = certify(problem, *updated);
    EXPECT_TRUE(certificate.certified) << certificate.verdict;
    EXPECT_NEAR(updated->objective, expected->objective, 3e-8 * certificate.residual_cost);
  }
}

TEST(WarmSolver, StartsAtTheLastAnswer) {
  int cold_steps = 0, warm_steps = 0;
  for (Problem& problem : problems()) {
    auto warm = WarmSolver::make(problem);
    ASSERT_TRUE(warm) << warm.error().message();
    ASSERT_TRUE(warm->solve());
    ASSERT_TRUE(warm->solve());
    EXPECT_LE(warm->num_steps(), 2);  // it is there already, up to the tolerance of its gap

    const NormalEquations other = disturbed(problem.data, 7);
    ASSERT_TRUE(warm->update(other));
    ASSERT_TRUE(warm->solve());
    const auto cold = solve(*make_problem(problem.layout, other, problem.prior));
    const Certificate certificate = certify(warm->problem(), warm->solution());
    EXPECT_TRUE(certificate.certified) << certificate.verdict;
    EXPECT_NEAR(certificate.primal, cold->objective, 3e-8 * certificate.residual_cost);
    EXPECT_EQ(warm->parameters(), warm->solution().x);
    cold_steps += cold->iterations;
    warm_steps += warm->num_steps();
  }
  EXPECT_LT(warm_steps, cold_steps);
}

TEST(WarmSolver, RefusesUnsupportedMethods) {
  std::vector<Problem> all = problems();
  NormalEquations smaller = all[0].data;
  smaller.G.conservativeResize(3, 3);
  EXPECT_FALSE(all[0].update(smaller));
  SolveOptions options;
  options.method = SolveMethod::admm;
  EXPECT_FALSE(WarmSolver::make(all[0], options));
  Constraints constraints;
  constraints.linear = {fixed_mass(all[0].layout, 0, 2)};
  const Problem held = *make_problem(all[0].layout, all[0].data, all[0].prior, constraints);
  EXPECT_FALSE(WarmSolver::make(held));
  EXPECT_FALSE(Problem(held).update(all[0].data));
}

}  // namespace
}  // namespace heft
