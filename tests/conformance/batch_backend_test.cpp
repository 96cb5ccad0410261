// Batches on a device through the public interface: the same answers as the lanes', and clear errors.
#include <gtest/gtest.h>

#include <cstdlib>

#include "heft/certificate.hpp"
#include "heft/solve_batch.hpp"
#include "kernels/solve_batch_cuda.hpp"
#include "tests/solve/golden_sdp.hpp"
#include "tests/solve/test_support.hpp"

namespace heft {
namespace {

// arms of three shapes, data from rich to poor; one has a prior that the kernels do not know
std::vector<Problem> random_problems(int count) {
  test::Random random(71);
  std::vector<Problem> problems;
  for (int k = 0; k < count; ++k) {
    const int bodies = k % 5 == 4 ? 2 : 7, columns = k % 7 == 6 ? 0 : 14;
    const ParameterLayout layout = test::make_layout(bodies, columns);
    const int P = layout.num_parameters();
    std::vector<BodyParameters> references;
    Eigen::VectorXd truth = Eigen::VectorXd::Constant(P, 0.1);
    for (int body = 0; body < bodies; ++body) {
      references.push_back(random.body());
      truth.segment<10>(10 * body) = random.body();
    }
    PriorOptions options;
    options.weight = k % 2 == 0 ? 1e-2 : 1e-4;
    if (k == 3) options.kind = PriorKind::entropic;
    const auto equations = test::random_equations(random, truth, 100, P / (1 + k % 3), 0.3);
    problems.push_back(*make_problem(layout, equations, *make_prior(layout, references, options)));
  }
  return problems;
}

class BatchOnCuda : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto device = make_cuda_batch_solver();
    if (device) return;
    if (std::getenv("HEFT_REQUIRE_GPU")) FAIL() << device.error().message();
    GTEST_SKIP() << device.error().message();
  }
};

BatchOptions on(BackendKind backend) {
  BatchOptions options;
  options.backend = backend;
  return options;
}

TEST_F(BatchOnCuda, AnswersAreThoseOfTheLanesAndCertified) {
  const auto problems = random_problems(50);
  const auto lanes = solve_batch(problems), device = solve_batch(problems, on(BackendKind::cuda));
  ASSERT_TRUE(device) << device.error().message();
  for (std::size_t k = 0; k < problems.size(); ++k) {
    ASSERT_EQ((*device)[k].status, SolveStatus::optimal) << k << ": " << (*device)[k].reason;
    const Certificate certificate = certify(problems[k], (*device)[k], {2e-8, 1e-9});
    EXPECT_TRUE(certificate.certified) << k << ": " << certificate.verdict;
    EXPECT_NEAR((*device)[k].objective, (*lanes)[k].objective, 3e-8 * certificate.residual_cost) << k;
    EXPECT_EQ((*device)[k].method, (*lanes)[k].method) << k;
  }
}

TEST_F(BatchOnCuda, NeighboursChangeNoBit) {
  auto problems = random_problems(20);
  const auto all = solve_batch(problems, on(BackendKind::cuda));
  problems[5].c[2] = std::nan("");
  const auto spoilt = solve_batch(problems, on(BackendKind::cuda));
  for (std::size_t k = 0; k < problems.size(); ++k) {
    if (k == 5) {
      EXPECT_EQ((*spoilt)[k].status, SolveStatus::failed);
      continue;
    }
    EXPECT_EQ((*all)[k].x, (*spoilt)[k].x) << k;
    EXPECT_EQ((*all)[k].x, (*solve_batch({problems[k]}, on(BackendKind::cuda)))[0].x) << k;
  }
}

TEST_F(BatchOnCuda, ReachesReferenceOptima) {
  if (test::golden_directory().empty()) GTEST_SKIP() << "no golden answers: set HEFT_GOLDEN";
  std::vector<Problem> problems;
  const auto golden = test::real_problems(test::golden_directory());
  for (const auto& problem : golden) problems.push_back(test::make(problem));
  const auto solutions = solve_batch(problems, on(BackendKind::cuda));
  ASSERT_TRUE(solutions) << solutions.error().message();
  for (std::size_t k = 0; k < golden.size(); ++k) {
    if (golden[k].attained && !golden[k].infeasible) {
      EXPECT_NEAR((*solutions)[k].objective, golden[k].objective, 1e-7 * golden[k].objective)
          << golden[k].name;
    }
  }
}

TEST(BatchBackend, CudaNeverFallsBack) {
  const auto device = make_cuda_batch_solver();
  const auto solutions = solve_batch({}, on(BackendKind::cuda));
  ASSERT_EQ(solutions.ok(), device.ok());
  if (!device) {
    EXPECT_EQ(solutions.error().where, "batch on cuda");
    EXPECT_FALSE(solutions.error().what.empty());
    EXPECT_FALSE(solutions.error().remedy.empty());
  }
}

TEST(BatchBackend, CudaKnowsOneMethod) {
  for (const SolveMethod method : {SolveMethod::admm, SolveMethod::interior_point}) {
    BatchOptions options = on(BackendKind::cuda);
    options.solve.method = method;
    const auto solutions = solve_batch({}, options);
    ASSERT_FALSE(solutions);
    EXPECT_NE(solutions.error().what.find("semismooth"), std::string::npos);
  }
}

TEST(BatchBackend, AutomaticTakesWhatThereIs) {
  if (make_cuda_batch_solver()) GTEST_SKIP() << "there is a device";
  const auto problems = random_problems(9);
  const auto lanes = solve_batch(problems), automatic = solve_batch(problems, on(BackendKind::automatic));
  ASSERT_TRUE(automatic);
  for (std::size_t k = 0; k < problems.size(); ++k) EXPECT_EQ((*lanes)[k].x, (*automatic)[k].x);
}

}  // namespace
}  // namespace heft
