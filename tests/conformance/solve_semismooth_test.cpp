// The device's semismooth Newton method, executed on the host: solutions compared with reference
// optima, the CPU's interior point method and certificates; and possible errors of a block of
// threads.
#include "kernels/solve/semismooth.hpp"

#include <gtest/gtest.h>

#include <set>

#include "heft/solve/solve.hpp"
#include "heft/solve/solve_batch.hpp"
#include "host/estimation/solve/duality.hpp"
#include "tests/conformance/device_on_host.hpp"
#include "tests/solve/golden_sdp.hpp"
#include "tests/solve/test_support.hpp"

namespace heft {
namespace {

using testing::DeviceRun;
using testing::EmulatedBlock;
using testing::solve_in_one_thread;
using Order = EmulatedBlock::Order;

Problem random_problem(test::Random& random, int bodies, int columns, double weight, int rank,
                       const Constraints& constraints = {}) {
  ParameterLayout layout = test::make_layout(bodies, columns);
  if (columns > 1)
    layout.columns[0].nonnegative = false;  // free: behind the slacks in the kernels' order
  std::vector<BodyParameters> references;
  Eigen::VectorXd truth = Eigen::VectorXd::Constant(layout.num_parameters(), 0.1);
  for (int body = 0; body < bodies; ++body) {
    references.push_back(random.body());
    truth.segment<10>(10 * body) = random.body();
  }
  PriorOptions options;
  options.weight = weight;
  for (int k = 1; k < columns; k += 2)
    truth[10 * bodies + k] = -1;  // signs that the constraints forbid
  const auto equations = test::random_equations(random, truth, 60, rank, 0.3);
  return *make_problem(layout, equations, *make_prior(layout, references, options), constraints);
}

// of a sum over the variables whose terms are of this size
double rounding(const Problem& problem, double terms) {
  return problem.num_variables() * 2.3e-16 * std::abs(terms);
}

// the gap by which it stopped, and the CPU's by other code
void expect_gap_of_the_cpu(const Problem& problem, const DeviceRun& run) {
  solver::GapBound bound(problem);
  const Eigen::VectorXd slack = problem.F * run.solution.y + problem.g;
  const solver::Gap gap = bound.evaluate(run.solution.y, slack, run.solution.lambda);
  // lambda's is a sum of terms that cancel; the rest is quadratic in a residual that has lost up to
  // half of its digits
  const double terms = run.solution.lambda.cwiseAbs().dot(slack.cwiseAbs());
  EXPECT_NEAR(run.answer.gap, gap.relative,
              1e-4 * std::abs(gap.relative) + rounding(problem, terms) / gap.residual_cost + 1e-20);
  EXPECT_NEAR(run.answer.objective, gap.primal, rounding(problem, problem.constant));
}

void expect_optimum_of_interior_point(const Problem& problem, const DeviceRun& run) {
  ASSERT_EQ(run.solution.status, SolveStatus::optimal) << run.solution.reason;
  EXPECT_EQ(run.solution.method, SolveMethod::semismooth_newton);
  expect_gap_of_the_cpu(problem, run);
  const Certificate certificate = certify(problem, run.solution, {1.1e-8, 1e-9});
  EXPECT_TRUE(certificate.certified) << certificate.verdict;
  EXPECT_TRUE(certificate.rigorous);
  // as in lanes, but for a last step that rounding decides
  EXPECT_NEAR(run.answer.steps, (*solve_batch({problem}))[0].iterations, 1);
  SolveOptions options;
  options.method = SolveMethod::interior_point;
  // both are within 1e-8 of the optimum
  EXPECT_NEAR(run.solution.objective, solve(problem, options)->objective,
              2e-8 * certificate.residual_cost + rounding(problem, problem.constant));
}

TEST(SolveSemismooth, FindsTheOptimumOfEveryShape) {
  test::Random random(51);
  int moved = 0, gaps = 0, pushed = 0;
  for (const auto& [bodies, columns] :
       {std::pair{1, 0}, {1, 1}, {2, 3}, {3, 6}, {4, 0}, {7, 14}, {31, 31}}) {
    for (const double weight : {1e-2, 1e-3, 1e-4}) {
      SCOPED_TRACE(::testing::Message()
                   << bodies << " bodies, " << columns << " columns, w " << weight);
      const Problem problem = random_problem(random, bodies, columns, weight, 5 * bodies);
      const DeviceRun run = solve_in_one_thread(problem);
      expect_optimum_of_interior_point(problem, run);
      moved += run.answer.steps > 1;
      pushed += (run.solution.lambda.tail(problem.cone.num_rows).array() > 1e-3).count();
      gaps += run.answer.steps > 1 && run.answer.gap > 1e-12;
    }
  }
  EXPECT_GE(moved, 9);  // or the cone would not have been tested
  EXPECT_GE(pushed, 9);
  EXPECT_GE(gaps, 4);  // or the gap would have been rounding alone
}

// margins shift the slacks
TEST(SolveSemismooth, TakesMargins) {
  test::Random random(53);
  for (const double margin : {1e-6, 1e-3, 0.1}) {
    SCOPED_TRACE(margin);
    Constraints constraints;
    constraints.margin = margin;
    Problem problem = random_problem(random, 3, 4, 1e-3, 12, constraints);
    expect_optimum_of_interior_point(problem, solve_in_one_thread(problem));
  }
}

TEST(SolveSemismooth, ReachesReferenceOptima) {
  if (test::golden_directory().empty()) GTEST_SKIP() << "no golden answers: set HEFT_GOLDEN";
  auto all = test::real_problems(test::golden_directory());
  for (auto& problem : test::synthetic_problems(test::golden_directory()))
    all.push_back(std::move(problem));
  int plain = 0, solved = 0;
  for (const auto& golden : all) {
    if (golden.infeasible) continue;
    const Problem problem = test::make(golden);
    if (!solver::is_plain(problem)) continue;
    ++plain;
    const DeviceRun run = solve_in_one_thread(problem);
    if (!run.answer.converged) continue;  // left to the CPU
    ++solved;
    EXPECT_NEAR(run.solution.objective, golden.objective, 1e-7 * golden.objective) << golden.name;
    const Certificate certificate = certify(problem, run.solution, {1.1e-8, 1e-9});
    EXPECT_TRUE(certificate.certified) << golden.name << ": " << certificate.verdict;
  }
  EXPECT_GE(plain, 9);
  EXPECT_EQ(solved, plain);
}

TEST(SolveSemismooth, AnswersDoNotDependOnTheOrderOfThreads) {
  test::Random random(57);
  int moved = 0;
  const struct {
    int num_threads, bodies, columns, rank;
  } cases[] = {{2, 3, 4, 15}, {2, 3, 4, 30}, {32, 3, 4, 15}, {32, 3, 4, 30}, {128, 7, 14, 35}};
  for (const auto& [num_threads, bodies, columns, rank] : cases) {
    const Problem problem = random_problem(random, bodies, columns, 1e-4, rank);
    const DeviceRun alone = solve_in_one_thread(problem);
    const auto run = [&, threads = num_threads](Order order) {
      EmulatedBlock emulated(threads, order);
      return testing::solve_as_device(problem, 20, threads, [&](const auto& program) {
        EXPECT_TRUE(emulated.run(program)) << "threads came to different numbers of barriers";
      });
    };
    const DeviceRun up = run(Order::ascending), down = run(Order::descending);
    ASSERT_TRUE(up.answer.converged);
    EXPECT_EQ(up.solution.x, down.solution.x);
    EXPECT_EQ(up.solution.gap, down.solution.gap);
    // one thread sums in another order
    EXPECT_EQ(up.answer.steps, alone.answer.steps);
    EXPECT_NEAR(up.solution.objective, alone.solution.objective,
                1e-12 * std::abs(problem.constant));
    moved += up.answer.steps > 1;
  }
  EXPECT_GE(moved, 2);  // or no step would have been tested
}

TEST(SolveSemismooth, StopsByItsOwnGapOrByItsSteps) {
  test::Random random(59);
  const Problem problem = random_problem(random, 3, 4, 1e-4, 12);
  const DeviceRun whole = solve_in_one_thread(problem);
  ASSERT_TRUE(whole.answer.converged);
  EXPECT_LE(whole.solution.gap, SolveOptions{}.gap_tolerance);
  ASSERT_GT(whole.answer.steps, 2);
  const DeviceRun cut = solve_in_one_thread(problem, whole.answer.steps - 1);
  EXPECT_FALSE(cut.answer.converged);
  EXPECT_EQ(cut.answer.steps, whole.answer.steps - 1);

  Problem easy = problem;  // the prior is the answer: one step
  easy.Q.setIdentity();
  easy.c = -easy.start;
  const DeviceRun one = solve_in_one_thread(easy);
  EXPECT_TRUE(one.answer.converged);
  EXPECT_EQ(one.answer.steps, 1);
}

TEST(SolveSemismooth, RejectsABreakdownOfNumbers) {
  test::Random random(61);
  const Problem good = random_problem(random, 2, 2, 1e-3, 8);
  std::vector<Problem> bad(4, good);
  bad[0].c[3] = NAN;
  bad[1].Q(0, 0) = -1;
  bad[2].Q(5, 5) = NAN;
  bad[3].c[21] = INFINITY;
  for (const Problem& problem : bad) {
    const DeviceRun run = solve_in_one_thread(problem);
    EXPECT_FALSE(run.answer.converged);
    EXPECT_LE(run.answer.steps, 20);
  }
}

}  // namespace
}  // namespace heft
