// Every reference problem of golden/sdp: all priors, constraints and equalities, by the interior
// point method and by the automatic choice; infeasible ones must be recognized and their conflict
// named.
#include <gtest/gtest.h>

#include <algorithm>

#include "golden_sdp.hpp"
#include "heft/solve/solve.hpp"

namespace heft {
namespace {

std::vector<test::GoldenProblem> all_problems() {
  auto problems = test::real_problems(test::golden_directory());
  for (auto& problem : test::synthetic_problems(test::golden_directory()))
    problems.push_back(std::move(problem));
  return problems;
}

class GoldenSolve : public testing::TestWithParam<SolveMethod> {
 protected:
  void SetUp() override {
    if (test::golden_directory().empty()) GTEST_SKIP() << "no golden answers: set HEFT_GOLDEN";
  }
};

TEST_P(GoldenSolve, ReachesTheReferenceOptimum) {
  SolveOptions options;
  options.method = GetParam();
  int solved = 0;
  for (const auto& golden : all_problems()) {
    if (golden.infeasible) continue;
    const Problem problem = test::make(golden);
    const auto solution = solve(problem, options);
    ASSERT_TRUE(solution) << solution.error().message();
    if (!golden.attained) {
      // no prior and no bounds: the infimum lies at infinity, and an answer may only be close to it
      EXPECT_NEAR(solution->objective, golden.objective, 1e-6 * golden.objective) << golden.name;
      continue;
    }
    EXPECT_EQ(solution->status, SolveStatus::optimal) << golden.name << ": " << solution->reason;
    EXPECT_NEAR(solution->objective, golden.objective, 1e-7 * golden.objective) << golden.name;
    const Certificate certificate = certify(problem, *solution, {1e-7, 1e-8});
    EXPECT_TRUE(certificate.certified) << golden.name << ": " << certificate.verdict;
    EXPECT_TRUE(certificate.bodies_positive_definite) << golden.name;
    EXPECT_TRUE(certificate.rigorous || !problem.is_strongly_convex) << golden.name;
    ++solved;
  }
  EXPECT_EQ(solved, 60);
}

TEST_P(GoldenSolve, NamesTheConflictOfInfeasibleProblems) {
  SolveOptions options;
  options.method = GetParam();
  int infeasible = 0;
  for (const auto& golden : all_problems()) {
    if (!golden.infeasible) continue;
    const auto solution = solve(test::make(golden), options);
    ASSERT_TRUE(solution) << solution.error().message();
    EXPECT_EQ(solution->status, SolveStatus::infeasible) << golden.name << ": " << solution->reason;
    for (const auto& expected : golden.conflicts) {
      const bool named =
          std::any_of(solution->conflicts.begin(), solution->conflicts.end(),
                      [&](const std::string& name) { return name.starts_with(expected); });
      EXPECT_TRUE(named) << golden.name << " does not name " << expected;
    }
    // nothing but the conflict: these problems have at most three rows, one equality and one body
    // in it
    EXPECT_LE(solution->conflicts.size(), 5u) << golden.name;
    ++infeasible;
  }
  EXPECT_EQ(infeasible, 3);
}

INSTANTIATE_TEST_SUITE_P(Methods, GoldenSolve,
                         testing::Values(SolveMethod::interior_point, SolveMethod::automatic),
                         [](const auto& method) {
                           return method.param == SolveMethod::automatic ? "automatic"
                                                                         : "interior_point";
                         });

TEST(Price, IsZeroWhereTheConeIsIdleAndPositiveWhereItActs) {
  if (test::golden_directory().empty()) GTEST_SKIP() << "no golden answers: set HEFT_GOLDEN";
  for (const auto& golden : test::real_problems(test::golden_directory())) {
    const bool idle = golden.name == "staubli_tx40/metric_1e-2",
               active = golden.name == "staubli_tx40/metric_1e-4";
    if (!idle && !active) continue;
    const Problem problem = test::make(golden);
    const auto solution = solve(problem);
    ASSERT_TRUE(solution);
    const auto price = price_of_physics(problem, *solution, {golden.equations});
    ASSERT_TRUE(price) << price.error().message();
    // unconstrained optima of the reference: 1.1403919870232508 and 1.0368212309367915
    EXPECT_NEAR(price->unconstrained_objective, idle ? 1.1403919870232508 : 1.0368212309367915,
                1e-9);
    EXPECT_NEAR(price->objective, golden.objective, 1e-7 * golden.objective);
    const int paying = static_cast<int>(
        std::count_if(price->constraints.begin(), price->constraints.end(),
                      [](const auto& c) { return c.body >= 0 && c.price > 1e-5; }));
    EXPECT_EQ(paying, idle ? 0 : 5);  // bodies_on_boundary of the reference
    EXPECT_NEAR(price->relative,
                (price->objective - price->unconstrained_objective) /
                    (price->unconstrained_channel_cost[0] / golden.equations.num_rows),
                1e-12);
  }
}

}  // namespace
}  // namespace heft
