// ADMM on real logs compared with reference optima in 256-bit arithmetic (golden/sdp), with bounds
// on its iterations.
#include <gtest/gtest.h>

#include <map>

#include "golden_sdp.hpp"
#include "heft/solve/solve.hpp"

namespace heft {
namespace {

std::vector<test::GoldenProblem> plain_metric_problems() {
  std::vector<test::GoldenProblem> selected;
  for (auto& golden : test::real_problems(test::golden_directory())) {
    if (golden.prior.kind == PriorKind::metric && !golden.has_extra_constraints)
      selected.push_back(std::move(golden));
  }
  return selected;
}

#define SKIP_WITHOUT_GOLDEN() \
  if (test::golden_directory().empty()) GTEST_SKIP() << "no golden answers: set HEFT_GOLDEN"

TEST(GoldenAdmm, ReachesTheOptimumOfRealLogs) {
  SKIP_WITHOUT_GOLDEN();
  SolveOptions options;
  options.method = SolveMethod::admm;
  for (const auto& golden : plain_metric_problems()) {
    const Problem problem = test::make(golden);
    const auto solution = solve(problem, options);
    ASSERT_TRUE(solution) << solution.error().message();
    EXPECT_EQ(solution->status, SolveStatus::optimal) << golden.name << ": " << solution->reason;
    EXPECT_NEAR(solution->objective, golden.objective, 1e-7 * golden.objective) << golden.name;

    const Certificate certificate = certify(problem, *solution, {1e-8, 1e-9});
    EXPECT_TRUE(certificate.certified) << golden.name << ": " << certificate.verdict;
    EXPECT_TRUE(certificate.rigorous) << golden.name;
    // the bound is a bound: the true optimum lies between dual and primal
    const double rounding = 1e-9 * golden.objective;  // margin of the bodies, see golden_sdp.cpp
    EXPECT_LE(certificate.dual, golden.objective + rounding) << golden.name;
    EXPECT_GE(certificate.primal, golden.objective - rounding) << golden.name;
    // strong convexity: w |z - z*|^2 <= gap in coordinates where the prior is 1
    EXPECT_LE(
        golden.prior.weight * (Eigen::MatrixXd(problem.S).inverse() * (solution->x - golden.x))
                                  .head(60)
                                  .squaredNorm(),
        certificate.primal - certificate.dual + rounding)
        << golden.name;
  }
}

TEST(GoldenAdmm, NeedsFewIterations) {
  SKIP_WITHOUT_GOLDEN();
  const std::map<double, int> limits = {{1e-2, 60}, {1e-3, 100}, {1e-4, 500}};
  for (auto golden : plain_metric_problems()) {
    if (!golden.name.ends_with("metric_1e-2"))
      continue;  // one of each robot; the weight is set here
    for (const auto& [weight, limit] : limits) {
      golden.prior.weight = weight;
      SolveOptions options;
      options.method = SolveMethod::admm;
      options.gap_tolerance = 1e-8;
      const auto solution = solve(test::make(golden), options);
      ASSERT_TRUE(solution);
      EXPECT_EQ(solution->status, SolveStatus::optimal) << golden.name << " at weight " << weight;
      EXPECT_LE(solution->iterations, limit) << golden.name << " at weight " << weight;
    }
  }
}

TEST(GoldenAdmm, StopsAtTheIterationLimitAndReportsIt) {
  SKIP_WITHOUT_GOLDEN();
  SolveOptions options;
  options.method = SolveMethod::admm;
  options.max_iterations = 3;
  const auto problems = plain_metric_problems();
  const auto solution = solve(test::make(problems.front()), options);
  ASSERT_TRUE(solution);
  EXPECT_NE(solution->status, SolveStatus::optimal);
  EXPECT_EQ(solution->iterations, 3);
  EXPECT_FALSE(solution->reason.empty());
}

TEST(Certificate, RejectsAnswersThatAreNotOptimal) {
  SKIP_WITHOUT_GOLDEN();
  const auto problems = plain_metric_problems();
  const Problem problem = test::make(problems.front());
  const auto solution = solve(problem, {});
  ASSERT_TRUE(solution);
  ASSERT_TRUE(certify(problem, *solution).certified);

  Solution worse = *solution;  // feasible, but away from the optimum
  worse.x += 1e-3 * (problem.extended_parameters(problem.start) - solution->x);
  EXPECT_FALSE(certify(problem, worse).certified);

  Solution impossible = *solution;
  impossible.x[core::kMass] = -1;
  EXPECT_FALSE(certify(problem, impossible).certified);
  EXPECT_FALSE(certify(problem, impossible).bodies_positive_definite);

  Solution broken = *solution;
  broken.x[3] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(certify(problem, broken).certified);
}

}  // namespace
}  // namespace heft
