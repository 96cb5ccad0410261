// Batches on a device, real or emulated on the host: the same solutions as in lanes, and clear
// errors.
#include <gtest/gtest.h>

#include <cstdlib>

#include "heft/executor/executor.hpp"
#include "heft/solve/solve.hpp"
#include "heft/solve/solve_batch.hpp"
#include "kernels/batch_cuda.hpp"
#include "tests/conformance/device_on_host.hpp"
#include "tests/solve/golden_sdp.hpp"
#include "tests/solve/random_problems.hpp"

namespace heft {
namespace {

// one has a prior that the kernels do not know
std::vector<Problem> random_problems(int count) {
  return test::random_problems(count, {.seed = 71,
                                       .num_bodies = 7,
                                       .num_columns = 14,
                                       .num_rows = 100,
                                       .least_prior_weight = 1e-4,
                                       .entropic = 3});
}

// the way of a batch over a device: a CUDA device, or an emulated one
class BatchOnDevice : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (std::string(GetParam()) == "host") {
      device_ = std::make_unique<testing::HostBatchSolver>();
      return;
    }
    auto device = make_cuda_batch_solver();
    if (device) {
      device_ = std::move(*device);
    } else if (std::getenv("HEFT_REQUIRE_GPU")) {
      FAIL() << device.error().message();
    } else {
      GTEST_SKIP() << device.error().message();
    }
  }

  Result<std::vector<Solution>> solve_on_it(const std::vector<Problem>& problems) {
    return solve_batch_on(device_.get(), problems, {});
  }

  std::unique_ptr<DeviceBatchSolver> device_;
};

TEST_P(BatchOnDevice, AnswersAreThoseOfTheLanesAndCertified) {
  const auto problems = random_problems(50);
  const auto lanes = solve_batch(problems), answers = solve_on_it(problems);
  ASSERT_TRUE(answers) << answers.error().message();
  int by_device = 0;
  for (std::size_t k = 0; k < problems.size(); ++k) {
    const Solution& solution = (*answers)[k];
    ASSERT_EQ(solution.status, SolveStatus::optimal) << k << ": " << solution.reason;
    const Certificate certificate = certify(problems[k], solution, {2e-8, 1e-9});
    EXPECT_TRUE(certificate.certified) << k << ": " << certificate.verdict;
    EXPECT_NEAR(solution.objective, (*lanes)[k].objective, 3e-8 * certificate.residual_cost) << k;
    EXPECT_EQ(solution.method, (*lanes)[k].method) << k;
    by_device += solution.method == SolveMethod::semismooth_newton;
  }
  EXPECT_EQ(by_device, 49);  // the entropic prior is solve()'s
}

TEST_P(BatchOnDevice, NeighborsChangeNoBit) {
  auto problems = random_problems(20);
  const auto all = solve_on_it(problems);
  problems[5].c[2] = std::nan("");
  const auto spoilt = solve_on_it(problems);
  for (std::size_t k = 0; k < problems.size(); ++k) {
    if (k == 5) {
      EXPECT_EQ((*spoilt)[k].status, SolveStatus::failed);
      continue;
    }
    EXPECT_EQ((*all)[k].x, (*spoilt)[k].x) << k;
    EXPECT_EQ((*all)[k].x, (*solve_on_it({problems[k]}))[0].x) << k;
  }
}

TEST_P(BatchOnDevice, ReachesReferenceOptima) {
  if (test::golden_directory().empty()) GTEST_SKIP() << "no golden answers: set HEFT_GOLDEN";
  auto golden = test::real_problems(test::golden_directory());
  for (auto& problem : test::synthetic_problems(test::golden_directory()))
    golden.push_back(std::move(problem));
  std::vector<Problem> problems;
  for (const auto& problem : golden) problems.push_back(test::make(problem));
  const auto solutions = solve_on_it(problems);
  ASSERT_TRUE(solutions) << solutions.error().message();
  for (std::size_t k = 0; k < golden.size(); ++k) {
    const Solution& solution = (*solutions)[k];
    if (golden[k].infeasible) {
      EXPECT_EQ(solution.status, SolveStatus::infeasible) << golden[k].name;
    } else if (golden[k].attained) {
      EXPECT_NEAR(solution.objective, golden[k].objective, 1e-7 * golden[k].objective)
          << golden[k].name;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Devices, BatchOnDevice, ::testing::Values("host", "cuda"),
                         [](const auto& device) { return std::string(device.param); });

// a device that breaks, or that finds no answer
class UselessDevice final : public DeviceBatchSolver {
 public:
  explicit UselessDevice(bool is_broken) : is_broken_(is_broken) {}
  std::string description() const override { return "useless"; }
  bool takes(const solver::PlainShape&) override { return true; }
  Result<Done> solve(const solver::PlainShape&, std::span<const solver::PlainProblem>,
                     const solver::PlainOptions&, int, std::span<solver::PlainAnswer>) override {
    if (is_broken_) return Error{"useless", "broken", ""};
    return Done{};
  }

 private:
  bool is_broken_;
};

TEST(BatchBackend, ErrorsOfTheDeviceComeOut) {
  UselessDevice device(true);
  const auto solutions = solve_batch_on(&device, random_problems(3), {});
  ASSERT_FALSE(solutions);
  EXPECT_EQ(solutions.error().what, "broken");
}

TEST(BatchBackend, SolvesTheDevicesRemainderOneByOne) {
  UselessDevice device(false);
  const auto problems = random_problems(6);
  const auto solutions = solve_batch_on(&device, problems, {});
  ASSERT_TRUE(solutions);
  for (std::size_t k = 0; k < problems.size(); ++k)
    EXPECT_EQ((*solutions)[k].x, solve(problems[k])->x) << k;
}

TEST(BatchBackend, CudaNeverFallsBack) {
  const auto executor = make_executor({.kind = BackendKind::cuda});
  ASSERT_EQ(executor.ok(), make_cuda_batch_solver().ok());
  if (executor) return;
  EXPECT_FALSE(executor.error().where.empty());
  EXPECT_FALSE(executor.error().what.empty());
  EXPECT_FALSE(executor.error().remedy.empty());
}

// what the lanes make of these problems, and who is said to have solved them
Executor executor_with(std::shared_ptr<DeviceBatchSolver> device) {
  return Executor(std::move(*make_backend({.kind = BackendKind::cpu, .threads = 1})),
                  std::move(device), 2);
}
std::string on_the_cpu() {
  return std::string("cpu (") + batch_instruction_set() + ")";
}

// A device knows one method: all others are the CPU's, and that is said.
TEST(BatchBackend, OtherMethodsAreTheCpus) {
  const auto problems = random_problems(3);
  for (const SolveMethod method : {SolveMethod::admm, SolveMethod::interior_point}) {
    Executor executor = executor_with(std::make_shared<testing::HostBatchSolver>());
    const SolveOptions options{.method = method};
    const auto solutions = executor.solve("a test", problems, options);
    ASSERT_TRUE(solutions);
    for (std::size_t k = 0; k < problems.size(); ++k) {
      EXPECT_FALSE((*solutions)[k].by_device);
      EXPECT_EQ((*solutions)[k].x, solve(problems[k], options)->x) << k;
    }
    ASSERT_EQ(executor.solved().size(), 1u);
    EXPECT_EQ(executor.solved()[0].by, on_the_cpu());
    EXPECT_EQ(executor.solved()[0].problems, 3);
  }
}

// What does not fit a device is solved in lanes, to the bit, and the rest on the device.
TEST(BatchBackend, ProblemsThatDoNotFitAreSolvedInLanes) {
  const auto problems = random_problems(40);  // of several shapes
  constexpr int kMaxVariables = 60;
  const auto fits = [&](const Problem& problem) {
    return problem.num_variables() <= kMaxVariables;
  };
  Executor executor = executor_with(std::make_shared<testing::HostBatchSolver>(kMaxVariables));
  const auto lanes = solve_batch(problems), answers = executor.solve("a test", problems);
  ASSERT_TRUE(answers);
  int by_device = 0;
  for (std::size_t k = 0; k < problems.size(); ++k) {
    if (!fits(problems[k])) {
      EXPECT_EQ((*answers)[k].x, (*lanes)[k].x) << k;
    }
    EXPECT_EQ((*answers)[k].by_device,
              fits(problems[k]) && (*answers)[k].method == SolveMethod::semismooth_newton)
        << k;
    by_device += (*answers)[k].by_device;
  }
  EXPECT_GT(by_device, 0);
  EXPECT_LT(by_device, 40);
  const auto solved = executor.solved();
  ASSERT_EQ(solved.size(), 2u);
  EXPECT_EQ(solved[0].by, on_the_cpu());
  EXPECT_EQ(solved[0].problems, 40 - by_device);
  EXPECT_EQ(solved[1].by, "host");
  EXPECT_EQ(solved[1].problems, by_device);
  // and what is solved later is told apart
  ASSERT_TRUE(
      executor.solve_made("another", 5, [&](int k) { return Result<Problem>(problems[k]); }));
  std::int64_t later = 0;
  for (const SolveCount& count : executor.solved(solved)) {
    EXPECT_EQ(count.purpose, "another");
    later += count.problems;
  }
  EXPECT_EQ(later, 5);
}

TEST(BatchBackend, AutomaticTakesTheAvailableBackend) {
  if (make_cuda_batch_solver()) GTEST_SKIP() << "there is a device";
  const auto problems = random_problems(9);
  const auto executor = make_executor({.kind = BackendKind::automatic});
  ASSERT_TRUE(executor);
  const auto lanes = solve_batch(problems), automatic = (*executor)->solve("a test", problems);
  ASSERT_TRUE(automatic);
  ASSERT_EQ((*executor)->solved().size(), 1u);
  EXPECT_EQ((*executor)->solved()[0].by, on_the_cpu());
  for (std::size_t k = 0; k < problems.size(); ++k) EXPECT_EQ((*lanes)[k].x, (*automatic)[k].x);
}

}  // namespace
}  // namespace heft
