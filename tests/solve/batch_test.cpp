// Batches compared with single solves and certificates; neighbors and threads must not change a
// solution.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "golden_sdp.hpp"
#include "heft/solve/solve.hpp"
#include "heft/solve/solve_batch.hpp"
#include "host/estimation/solve/batch/lane_solver.hpp"
#include "linalg/factorizations.hpp"
#include "tests/solve/random_problems.hpp"

namespace heft {
namespace {

std::vector<Problem> random_problems(int count) {
  return test::random_problems(
      count,
      {.seed = 41, .num_bodies = 4, .num_columns = 3, .num_rows = 60, .least_prior_weight = 1e-3});
}

TEST(Batch, AnswersAreThoseOfSingleSolvesAndCertified) {
  const auto problems = random_problems(37);
  const auto batch = solve_batch(problems);
  ASSERT_TRUE(batch) << batch.error().message();
  ASSERT_EQ(batch->size(), problems.size());
  for (std::size_t k = 0; k < problems.size(); ++k) {
    const Solution& solution = (*batch)[k];
    ASSERT_EQ(solution.status, SolveStatus::optimal) << k << ": " << solution.reason;
    const Certificate certificate = certify(problems[k], solution, {2e-8, 1e-9});
    EXPECT_TRUE(certificate.certified) << k << ": " << certificate.verdict;
    EXPECT_TRUE(certificate.rigorous);
    const auto single = solve(problems[k]);
    EXPECT_NEAR(solution.objective, single->objective, 3e-8 * certificate.residual_cost) << k;
  }
}

// solve_batch takes the widest kernels of the machine; here every set that it has is asked, with a
// half-filled last pack
TEST(Batch, EveryInstructionSetGivesTheSameAnswers) {
  test::Random random(43);
  const ParameterLayout layout = test::make_layout(3, 2);
  const int n = 32;
  std::vector<Problem> problems;
  for (int k = 0; k < 11; ++k) {
    std::vector<BodyParameters> references;
    Eigen::VectorXd truth = Eigen::VectorXd::Constant(n, 0.1);
    for (int body = 0; body < 3; ++body) {
      references.push_back(random.body());
      truth.segment<10>(10 * body) = random.body();
    }
    const auto equations = test::random_equations(random, truth, 60, 16, 0.3);
    Constraints constraints;
    constraints.margin = 0;  // no shift: lanes see the problem's own variables
    problems.push_back(
        *make_problem(layout, equations, *make_prior(layout, references), constraints));
  }

  std::vector<int> order(n);
  std::iota(order.begin(), order.end(), 0);
  const Eigen::VectorXd sign = Eigen::VectorXd::Ones(n), shift = Eigen::VectorXd::Zero(n);
  Eigen::VectorXd weight = Eigen::VectorXd::Constant(n, 1e-2), center = problems[0].start;
  weight.tail(2).setConstant(0.5e-3 / (1 + 1e-3));
  center.tail(2).setZero();

  std::vector<solver::LaneSolver> solvers = {solver::kLaneSolverBaseline};
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    solvers.push_back(solver::kLaneSolverAvx2);
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq")) {
    solvers.push_back(solver::kLaneSolverAvx512);
  }
  for (const auto& lanes : solvers) {
    for (const auto make : {lanes.many, lanes.alone}) {
      Eigen::MatrixXd y = Eigen::MatrixXd::Constant(n, 11, NAN), lambda = y;
      std::vector<solver::PlainProblem> views;
      std::vector<solver::PlainAnswer> answers(11);
      for (int k = 0; k < 11; ++k) {
        const Problem& p = problems[k];
        views.push_back({p.Q.data(), order.data(), sign.data(), k % 2 == 0, p.c.data(),
                         shift.data(), p.constant, weight.data(), center.data(), 1e-12, 0.1});
        answers[k].y = y.col(k).data();
        answers[k].lambda = lambda.col(k).data();
      }
      make({n, n, 3})->solve(views.data(), 11, {.gap_tolerance = 1e-10, .max_steps = 40},
                             answers.data());
      for (int k = 0; k < 11; ++k) {
        SolveOptions options;
        options.gap_tolerance = 1e-10;
        options.method = SolveMethod::interior_point;
        const auto expected = solve(problems[k], options);
        ASSERT_TRUE(answers[k].converged) << lanes.name << " " << k;
        const double cost = certify(problems[k], *expected).residual_cost;
        EXPECT_NEAR(answers[k].objective, expected->objective, 3e-10 * cost)
            << lanes.name << " " << k;
        EXPECT_NEAR(answers[k].objective, problems[k].quadratic(y.col(k)),
                    1e-11 * problems[k].constant)
            << lanes.name;
      }
    }
  }
}

// where the cone does not act, the answer is that of a linear system, and one factor finds it
TEST(Batch, WithGoodDataOneStepIsEnough) {
  test::Random random(47);
  const ParameterLayout layout = test::make_layout(3, 0);
  std::vector<Problem> problems;
  for (int k = 0; k < 9; ++k) {
    std::vector<BodyParameters> references;
    Eigen::VectorXd truth(30);
    for (int body = 0; body < 3; ++body) {
      references.push_back(random.body());
      truth.segment<10>(10 * body) = 1.2 * references[body];
    }
    const auto equations = test::random_equations(random, truth, 300, 30, 1e-3);
    problems.push_back(*make_problem(layout, equations, *make_prior(layout, references)));
  }
  const auto batch = solve_batch(problems);
  for (std::size_t k = 0; k < problems.size(); ++k) {
    const Solution& solution = (*batch)[k];
    ASSERT_EQ(solution.status, SolveStatus::optimal) << solution.reason;
    EXPECT_EQ(solution.iterations, 1);
    EXPECT_EQ(solution.method, SolveMethod::semismooth_newton);
    EXPECT_EQ(solution.lambda.norm(), 0);
    const Eigen::VectorXd expected = problems[k].Q.fullPivLu().solve(-problems[k].c);
    // a gap of g times the residual cost leaves |y - expected| <= sqrt(2 g cost / least eigenvalue)
    EXPECT_LE((solution.y - expected).norm(), 1e-9 * expected.norm());
  }
}

// numbers that break down in a lane are that problem's own affair, and not of the next one in the
// lane
TEST(Batch, NanInOneProblemHarmsNoOther) {
  const auto problems = random_problems(37);
  const auto good = solve_batch(problems);
  auto spoilt = problems;
  spoilt[3].c[2] = std::nan("");
  const auto batch = solve_batch(spoilt);
  ASSERT_TRUE(batch);
  for (std::size_t k = 0; k < problems.size(); ++k) {
    if (k == 3) {
      EXPECT_EQ((*batch)[k].status, SolveStatus::failed);
      EXPECT_FALSE((*batch)[k].reason.empty());
      EXPECT_FALSE(certify(spoilt[k], (*batch)[k]).certified);
    } else {
      EXPECT_EQ((*batch)[k].x, (*good)[k].x) << k;
      EXPECT_EQ((*batch)[k].iterations, (*good)[k].iterations) << k;
    }
  }
}

TEST(Batch, NeighborsAndThreadsChangeNoBit) {
  const auto problems = random_problems(23);
  for (const SolveMethod method :
       {SolveMethod::automatic, SolveMethod::admm, SolveMethod::interior_point}) {
    BatchOptions options;
    options.solve.method = method;
    const auto all = solve_batch(problems, options);
    BatchOptions threaded = options;
    threaded.num_threads = 3;
    const auto parallel = solve_batch(problems, threaded);
    for (std::size_t k = 0; k < problems.size(); ++k) {
      EXPECT_EQ((*all)[k].x, (*parallel)[k].x) << k;
      const auto alone = solve_batch({problems[k]}, options);
      EXPECT_EQ((*all)[k].x, (*alone)[0].x) << k;
      EXPECT_EQ((*all)[k].iterations, (*alone)[0].iterations) << k;
    }
  }
}

TEST(Batch, TakesProblemsOfEveryKind) {
  if (test::golden_directory().empty()) GTEST_SKIP() << "no golden answers: set HEFT_GOLDEN";
  auto golden = test::synthetic_problems(test::golden_directory());
  for (auto& problem : test::real_problems(test::golden_directory()))
    golden.push_back(std::move(problem));
  std::vector<Problem> problems;
  for (const auto& problem : golden) problems.push_back(test::make(problem));
  const auto batch = solve_batch(problems);
  ASSERT_TRUE(batch);
  for (std::size_t k = 0; k < golden.size(); ++k) {
    const Solution& solution = (*batch)[k];
    if (golden[k].infeasible) {
      EXPECT_EQ(solution.status, SolveStatus::infeasible) << golden[k].name;
    } else if (golden[k].attained) {
      EXPECT_EQ(solution.status, SolveStatus::optimal) << golden[k].name << ": " << solution.reason;
      EXPECT_NEAR(solution.objective, golden[k].objective, 1e-7 * golden[k].objective)
          << golden[k].name;
    }
  }
}

TEST(Batch, WeightsFollowTheReferenceCurve) {
  if (test::golden_directory().empty()) GTEST_SKIP() << "no golden answers: set HEFT_GOLDEN";
  for (const auto& golden : test::real_problems(test::golden_directory())) {
    if (!golden.name.ends_with("metric_1e-2")) continue;
    const std::vector<double> weights = {1e-1, 1e-2, 1e-3, 1e-4};
    std::vector<Problem> problems;
    for (const double weight : weights) {
      Prior prior = *make_prior(golden.layout, golden.references, golden.prior);
      prior.weight = weight;
      problems.push_back(*make_problem(golden.layout, golden.equations, prior, golden.constraints));
    }
    const auto solutions = solve_batch(problems);
    ASSERT_TRUE(solutions) << solutions.error().message();
    EXPECT_NEAR((*solutions)[1].objective, golden.objective, 1e-7 * golden.objective)
        << golden.name;
    for (std::size_t k = 0; k < weights.size(); ++k) {
      EXPECT_TRUE(certify(problems[k], (*solutions)[k]).certified)
          << golden.name << " at " << weights[k];
      // less prior, better fit
      if (k > 0) {
        EXPECT_LT((*solutions)[k].objective, (*solutions)[k - 1].objective);
      }
    }
  }
}

TEST(Batch, RefusesOptionsThatMakeNoSense) {
  BatchOptions options;
  options.num_threads = 0;
  EXPECT_FALSE(solve_batch({}, options));
  options = {};
  options.solve.gap_tolerance = -1;
  EXPECT_FALSE(solve_batch({}, options));
  options = {};
  options.solve.method = SolveMethod::semismooth_newton;
  EXPECT_FALSE(solve_batch({}, options));
  EXPECT_TRUE(solve_batch({}));
}

}  // namespace
}  // namespace heft
