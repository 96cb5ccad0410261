// ADMM and the semismooth Newton method allocate all memory before the first iteration: more
// iterations cause no more allocations.
#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <numeric>

#include "host/estimation/solve/admm.hpp"
#include "host/estimation/solve/batch/lane_solver.hpp"
#include "solve/warm_solver.hpp"
#include "test_support.hpp"

namespace {
std::atomic<long> num_allocations{0};
}

// Every allocation of this program, Eigen's included, ends in malloc; glibc's own stays reachable
// under this name.
#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define HEFT_COUNTS_ALLOCATIONS 1
extern "C" void* __libc_malloc(std::size_t size);
extern "C" void* malloc(std::size_t size) {
  num_allocations.fetch_add(1, std::memory_order_relaxed);
  return __libc_malloc(size);
}
#endif

namespace heft {
namespace {

// seven bodies, fourteen friction terms, slow to converge
Problem hard_problem() {
  test::Random random(3);
  const ParameterLayout layout = test::make_layout(7, 14);
  std::vector<BodyParameters> references;
  Eigen::VectorXd truth = Eigen::VectorXd::Ones(84);
  for (int body = 0; body < 7; ++body) {
    references.push_back(random.body());
    truth.segment<10>(10 * body) = random.body();
  }
  const NormalEquations equations = test::random_equations(random, truth, 200, 57, 0.5);
  PriorOptions prior_options;
  prior_options.weight = 1e-6;  // slow to converge
  const auto prior = make_prior(layout, references, prior_options);
  const auto problem = make_problem(layout, equations, *prior);
  return *problem;
}

TEST(Allocation, AdmmAllocatesNothingPerIteration) {
#ifndef HEFT_COUNTS_ALLOCATIONS
  GTEST_SKIP() << "allocations cannot be counted with this C library or sanitizer";
#endif
  const Problem problem = hard_problem();
  const auto allocations = [&](int iterations) {
    SolveOptions options;
    options.gap_tolerance = 1e-300;  // never reached
    options.adapt_penalty = false;
    options.max_iterations = iterations;
    const long before = num_allocations;
    const Solution solution = solver::solve_admm(problem, options);
    EXPECT_EQ(solution.iterations, iterations);
    return num_allocations - before;
  };
  const long few = allocations(20), many = allocations(90);
  EXPECT_GT(few, 0);
  EXPECT_EQ(few, many);
}

TEST(Allocation, LanesAllocateNothingPerIteration) {
#ifndef HEFT_COUNTS_ALLOCATIONS
  GTEST_SKIP() << "allocations cannot be counted with this C library or sanitizer";
#endif
  const Problem problem = hard_problem();
  const int n = problem.num_variables();
  std::vector<int> order(n);
  std::iota(order.begin(), order.end(), 0);
  const Eigen::VectorXd one = Eigen::VectorXd::Ones(n), zero = Eigen::VectorXd::Zero(n);
  Eigen::VectorXd y(n), lambda(n);
  const solver::PlainProblem view{problem.Q.data(),
                                  order.data(),
                                  one.data(),
                                  true,
                                  problem.c.data(),
                                  zero.data(),
                                  problem.constant,
                                  zero.data(),
                                  zero.data(),
                                  1e-12,
                                  1e-5};
  for (const auto make : {solver::kLaneSolverBaseline.many, solver::kLaneSolverBaseline.alone}) {
    const auto run = [&](solver::PlainSolver& solver, int steps) {
      solver::PlainAnswer answer;
      answer.y = y.data();
      answer.lambda = lambda.data();
      solver.solve(&view, 1, {-1, steps}, &answer);  // a gap that is never reached
      EXPECT_FALSE(answer.converged);
      EXPECT_EQ(answer.steps, steps);
    };
    const auto allocations = [&](int steps) {
      const long before = num_allocations;
      run(*make({n, n, 7}), steps);
      return num_allocations - before;
    };
    EXPECT_GT(allocations(2), 0);
    EXPECT_EQ(allocations(2), allocations(12));

    // memory is kept: a second set of problems needs none
    const auto solver = make({n, n, 7});
    run(*solver, 3);
    const long before = num_allocations;
    run(*solver, 3);
    EXPECT_EQ(num_allocations, before);
  }
}

TEST(Allocation, UpdateAndWarmStartsAllocateNothing) {
#ifndef HEFT_COUNTS_ALLOCATIONS
  GTEST_SKIP() << "allocations cannot be counted with this C library or sanitizer";
#endif
  Problem problem = hard_problem();
  problem.prior.weight = 1e-2;  // of an answer within a few steps
  problem = *make_problem(problem.layout, problem.data, problem.prior);
  NormalEquations other = problem.data;
  other.b *= 1.01;
  auto warm = WarmSolver::make(problem);
  ASSERT_TRUE(warm && warm->solve());
  const long before = num_allocations;
  for (int turn = 0; turn < 5; ++turn) {
    ASSERT_TRUE(warm->update(turn % 2 == 0 ? other : problem.data));
    ASSERT_TRUE(warm->solve());
  }
  EXPECT_EQ(num_allocations, before);
}

}  // namespace
}  // namespace heft
