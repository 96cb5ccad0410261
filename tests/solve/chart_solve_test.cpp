// Levenberg-Marquardt on charts compared with the certified optimum: equal if it lies inside,
// higher if it is on the boundary.
#include "heft/solve/solve.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "golden_sdp.hpp"
#include "random_problems.hpp"

namespace heft {
namespace {

constexpr ChartKind kCharts[] = {ChartKind::log_cholesky, ChartKind::exponential,
                                 ChartKind::exponential_at_prior, ChartKind::manifold};

struct Optimum {
  double objective, residual_cost, least_margin;
};

/// The certified answer.
Optimum optimum_of(const Problem& problem) {
  const auto solution = solve(problem);
  EXPECT_TRUE(solution.ok());
  const Certificate certificate = certify(problem, *solution);
  EXPECT_TRUE(certificate.certified) << certificate.verdict;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < certificate.psd_margin.size(); ++i)
    if (!problem.prior.held[i]) least = std::min(least, certificate.psd_margin[i]);
  return {certificate.primal, certificate.residual_cost, least};
}

/// How many optima lay inside, and on the boundary.
struct Count {
  int inside = 0, boundary = 0;
};

void compare(const Problem& problem, ChartKind kind, Count& count, const std::string& what) {
  const Optimum optimum = optimum_of(problem);
  const auto found = solve_on_chart(problem, {.chart = kind});
  ASSERT_TRUE(found.ok()) << what << ": " << found.error().message();
  const double size = std::max(optimum.objective, 1e-300);
  const double above = (found->objective - optimum.objective) / size;
  if (optimum.least_margin > 1e-3) {
    ++count.inside;
    EXPECT_LE(std::abs(above), 1e-8) << what << " " << enum_name(kind) << ": " << found->reason;
    EXPECT_TRUE(found->converged) << what << " " << enum_name(kind);
    EXPECT_FALSE(found->is_on_boundary) << what;
  } else if (optimum.least_margin < 2e-6) {
    ++count.boundary;
    // the optimum keeps a margin of 1e-6 of the prior, which costs about 1e-8; the manifold knows
    // no margin
    EXPECT_GE(above, -1e-6) << what << " " << enum_name(kind);
    EXPECT_LE(above, 2e-2) << what << " " << enum_name(kind) << ": " << found->reason;
  }
}

TEST(ChartSolve, RandomProblems) {
  const auto problems = test::random_problems(
      20,
      {.seed = 5, .num_bodies = 3, .num_columns = 4, .num_rows = 300, .least_prior_weight = 1e-4});
  for (const ChartKind kind : kCharts) {
    Count count;
    for (std::size_t i = 0; i < problems.size(); ++i)
      compare(problems[i], kind, count, "problem " + std::to_string(i));
    EXPECT_GT(count.inside + count.boundary, 10) << enum_name(kind);
    EXPECT_GT(count.inside, 0) << enum_name(kind);
  }
}

TEST(ChartSolve, WellKnownBodies) {
  // much data, little noise: optima inside
  test::Random random(7);
  const ParameterLayout layout = test::make_layout(2, 2);
  Eigen::VectorXd truth = Eigen::VectorXd::Constant(layout.num_parameters(), 0.5);
  std::vector<BodyParameters> references;
  for (int body = 0; body < 2; ++body) {
    truth.segment<10>(10 * body) = random.body();
    references.push_back(truth.segment<10>(10 * body) * 1.3);
  }
  const auto equations = test::random_equations(random, truth, 2000, layout.num_parameters(), 1e-3);
  const Problem problem = *make_problem(layout, equations, *make_prior(layout, references));
  for (const ChartKind kind : kCharts) {
    Count count;
    compare(problem, kind, count, "known");
    EXPECT_EQ(count.inside, 1);
  }
}

TEST(ChartSolve, RobotsOfTheGoldenFolder) {
  const std::string golden = test::golden_directory();
  if (golden.empty()) GTEST_SKIP() << "no golden answers: set HEFT_GOLDEN";
  Count count;
  int refused = 0;
  for (const auto& problem : test::real_problems(golden)) {
    if (problem.infeasible || problem.has_extra_constraints) continue;
    const Problem made = test::make(problem);
    if (!solve_on_chart(made, {.max_iterations = 1}).ok()) {
      ++refused;
      continue;
    }
    compare(made, ChartKind::log_cholesky, count, problem.name);
  }
  EXPECT_GT(count.inside + count.boundary, 0);
  EXPECT_GT(refused, 0);  // other priors
}

TEST(ChartSolve, RefusesProblemsUnsupportedByCharts) {
  test::Random random(8);
  const ParameterLayout layout = test::make_layout(2, 1);
  Eigen::VectorXd truth = Eigen::VectorXd::Constant(layout.num_parameters(), 0.5);
  std::vector<BodyParameters> references;
  for (int body = 0; body < 2; ++body)
    references.push_back(truth.segment<10>(10 * body) = random.body());
  const auto equations = test::random_equations(random, truth, 200, layout.num_parameters(), 0.1);
  const auto refused = [&](const Prior& prior, const Constraints& constraints) {
    return !solve_on_chart(*make_problem(layout, equations, prior, constraints)).ok();
  };
  const Prior metric = *make_prior(layout, references);
  EXPECT_FALSE(refused(metric, {}));
  EXPECT_TRUE(refused(metric, {.linear = {fixed_mass(layout, 0, 1.0)}}));
  EXPECT_TRUE(refused(metric, {.linear = {mass_bounds(layout, 0, 0.5, 2.0)}}));
  EXPECT_TRUE(refused(metric, {.consistency = Consistency::semi}));
  EXPECT_TRUE(refused(*make_prior(layout, references, {.kind = PriorKind::entropic}), {}));
  const Problem problem = *make_problem(layout, equations, metric);
  EXPECT_FALSE(solve_on_chart(problem, {.max_iterations = 0}).ok());
  EXPECT_FALSE(solve_on_chart(problem, {.tolerance = 0}).ok());
}

}  // namespace
}  // namespace heft
