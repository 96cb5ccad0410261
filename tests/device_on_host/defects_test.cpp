// Earlier faults between Heft and CUDA that appear only with a runtime: errors that persist, shapes
// that race, drivers that are too old.
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include "heft/executor/executor.hpp"
#include "heft/solve/solve_batch.hpp"
#include "kernels/backend_cuda.hpp"
#include "kernels/batch_cuda.hpp"
#include "kernels/moments/cuda_device.hpp"
#include "tests/conformance/random_samples.hpp"
#include "tests/device_on_host/runtime/stand_in.hpp"
#include "tests/oracle/random_robot.hpp"
#include "tests/solve/random_problems.hpp"

namespace heft {
namespace {

using device_on_host::holdings;
using device_on_host::set;
using device_on_host::Settings;
using device_on_host::StreamOrder;

/// A device as it comes, before and after every test.
class Defects : public ::testing::Test {
 protected:
  Defects() { set(Settings{}); }
  ~Defects() override { set(Settings{}); }

  static Settings with(auto change) {
    Settings settings;
    change(settings);
    return settings;
  }
};

/// A job and what the CPU makes of it.
class Job {
 public:
  explicit Job(int num_samples, int num_bodies = 3) {
    oracle::RandomRobotOptions options;
    options.min_bodies = options.max_bodies = num_bodies;
    const Robot robot = oracle::random_robot(options, 11);
    plan_ = *make_regressor_plan(robot, default_channels(robot), {});
    data_ = testing::random_samples(*plan_, num_samples, 11);
    job_ = {plan_.get(), &data_.samples, 0, num_samples, 1 << 20};
  }

  Result<Done> run(Backend& backend) {
    sums_.assign(1, {std::numeric_limits<double>::quiet_NaN()});
    return backend.accumulate({&job_, 1}, sums_);
  }

  /// run() and that its sums are right.
  void expect_right(Backend& backend) {
    const Result<Done> done = run(backend);
    ASSERT_TRUE(done) << done.error().message();
    const std::vector<double> actual = sums_.front();
    ASSERT_TRUE(run(**make_backend({.kind = BackendKind::cpu, .threads = 1})));
    const std::vector<double>& expected = sums_.front();
    ASSERT_EQ(actual.size(), expected.size());
    double off = 0, norm = 0;
    for (std::size_t k = 0; k < actual.size(); ++k) {
      off += (actual[k] - expected[k]) * (actual[k] - expected[k]);
      norm += expected[k] * expected[k];
    }
    EXPECT_LE(off, 1e-26 * norm);
  }

 private:
  PlanPtr plan_;
  testing::RandomSamples data_;
  AccumulateJob job_;
  std::vector<std::vector<double>> sums_;
};

std::vector<Problem> problems_of(int num_bodies, int count) {
  return test::random_problems(count, {.seed = 7,
                                       .num_bodies = num_bodies,
                                       .num_columns = 2 * num_bodies,
                                       .num_rows = 20 * num_bodies,
                                       .least_prior_weight = 1e-3});
}

std::string why_not(const Result<std::vector<Solution>>& solutions) {
  return solutions ? "" : solutions.error().message();
}

TEST_F(Defects, MemoryThatWasRefusedDoesNotSpoilTheNextCall) {
  const auto backend = std::move(*make_cuda_backend());
  constexpr int kTooMany = 30;  // bodies, whose sums alone take more
  Job large_one(200, kTooMany), small_one(200);
  set(with([](Settings& s) { s.memory_bytes = 3'000'000; }));
  const Result<Done> refused = large_one.run(*backend);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().remedy.find("shorter logs"), std::string::npos)
      << refused.error().message();
  EXPECT_EQ(cudaPeekAtLastError(), cudaSuccess);
  small_one.expect_right(*backend);
}

TEST_F(Defects, BatchesGoOnAfterMemoryWasRefused) {
  const auto solver = std::move(*make_cuda_batch_solver());
  const auto many = problems_of(7, 60), few = problems_of(2, 3);
  const auto before = holdings();
  set(with([](Settings& s) { s.memory_bytes = 2'000'000; }));
  ASSERT_FALSE(solve_batch_on(solver.get(), many, {}));
  EXPECT_EQ(cudaPeekAtLastError(), cudaSuccess);
  EXPECT_EQ(holdings().pieces_of_memory,
            before.pieces_of_memory);  // there may have been too little of it
  const auto solutions = solve_batch_on(solver.get(), few, {});
  EXPECT_TRUE(solutions) << why_not(solutions);
}

// Whichever call it is that fails: an error, and the next call is right.
TEST_F(Defects, NoErrorIsLeftBehind) {
  Job job(300);
  const auto backend = std::move(*make_cuda_backend());
  set({});
  job.expect_right(*backend);
  const std::int64_t num_calls = device_on_host::num_calls_that_can_fail();
  ASSERT_GT(num_calls, 5);
  for (std::int64_t call = 1; call <= num_calls; ++call) {
    SCOPED_TRACE(call);
    set(with([call](Settings& s) { s.fail_at = call; }));
    static_cast<void>(job.run(*backend));  // with memory that is there already it takes fewer calls
    EXPECT_EQ(cudaPeekAtLastError(), cudaSuccess);
    set({});
    job.expect_right(*backend);
  }
}

TEST_F(Defects, BatchesLargerThanTheMemoryGoInWaves) {
  set(with([](Settings& s) { s.memory_bytes = 1'000'000; }));
  const auto solver = std::move(*make_cuda_batch_solver());
  const auto problems = problems_of(7, 60);  // of 70 KB each
  const auto solutions = solve_batch_on(solver.get(), problems, {});
  ASSERT_TRUE(solutions) << why_not(solutions);
  for (const Solution& solution : *solutions) EXPECT_EQ(solution.status, SolveStatus::optimal);
}

// A block of threads with too little memory for a problem: the lanes of the CPU solve it, to the
// bit.
TEST_F(Defects, SolvesProblemsTooLargeForABlockInLanes) {
  set(with([](Settings& s) { s.most_shared_bytes = 7000; }));
  const auto solver = std::move(*make_cuda_batch_solver({.by_library = false}));
  const auto large = problems_of(7, 4), small = problems_of(2, 3);
  auto problems = large;
  problems.insert(problems.end(), small.begin(), small.end());
  const auto solutions = solve_batch_on(solver.get(), problems, {}), lanes = solve_batch(large);
  ASSERT_TRUE(solutions) << why_not(solutions);
  for (std::size_t k = 0; k < large.size(); ++k) {
    EXPECT_FALSE((*solutions)[k].by_device) << k;
    EXPECT_EQ((*solutions)[k].x, (*lanes)[k].x) << k;
  }
  for (std::size_t k = large.size(); k < problems.size(); ++k)
    EXPECT_TRUE((*solutions)[k].by_device) << k;
}

// Calls take turns: the memory of a wave is one for all threads.
TEST_F(Defects, ThreadsShareADevice) {
  const auto solver = std::move(*make_cuda_batch_solver());
  const auto problems = problems_of(2, 20);
  const auto expected = solve_batch_on(solver.get(), problems, {});
  ASSERT_TRUE(expected) << why_not(expected);
  std::vector<Result<std::vector<Solution>>> found(2, std::vector<Solution>{});
  {
    std::vector<std::jthread> threads;
    for (auto& solutions : found)
      threads.emplace_back([&] { solutions = solve_batch_on(solver.get(), problems, {}); });
  }
  for (const auto& solutions : found) {
    ASSERT_TRUE(solutions) << why_not(solutions);
    for (std::size_t k = 0; k < problems.size(); ++k)
      EXPECT_EQ((*solutions)[k].x, (*expected)[k].x) << k;
  }
}

TEST_F(Defects, ErrorsOfTheProgramAreItsOwn) {
  const auto backend = std::move(*make_cuda_backend());
  const auto solver = std::move(*make_cuda_batch_solver());
  Job job(200);
  const auto problems = problems_of(2, 3);
  void* memory = nullptr;
  ASSERT_EQ(cudaMalloc(&memory, std::size_t{1} << 50), cudaErrorMemoryAllocation);
  job.expect_right(*backend);
  const auto solutions = solve_batch_on(solver.get(), problems, {});
  EXPECT_TRUE(solutions) << why_not(solutions);
  EXPECT_EQ(cudaGetLastError(), cudaErrorMemoryAllocation);  // still there for who made it
}

// The limit of shared memory is one number a kernel for the whole process.
TEST_F(Defects, BatchesOfOtherShapesDoNotLowerTheSharedMemory) {
  const auto large = std::move(*make_cuda_batch_solver()),
             small = std::move(*make_cuda_batch_solver());
  const auto large_problems = problems_of(9, 1), small_problems = problems_of(4, 1);
  bool has_run = false;
  device_on_host::before_next_launch([&] {
    const auto solutions = solve_batch_on(small.get(), small_problems, {});
    EXPECT_TRUE(solutions) << why_not(solutions);
    has_run = true;
  });
  const auto solutions = solve_batch_on(large.get(), large_problems, {});
  EXPECT_TRUE(solutions) << why_not(solutions);
  EXPECT_TRUE(has_run);
}

TEST_F(Defects, ADriverThatIsTooOldIsNamed) {
  set(with([](Settings& s) { s.driver_version = 11080; }));
  const auto backend = make_cuda_backend();
  const auto solver = make_cuda_batch_solver();
  ASSERT_FALSE(backend);
  ASSERT_FALSE(solver);
  for (const Error& error : {backend.error(), solver.error()}) {
    EXPECT_NE(error.what.find("too old"), std::string::npos) << error.message();
    EXPECT_NE(error.what.find("11.8"), std::string::npos) << error.message();
    EXPECT_NE(error.remedy.find("install a driver"), std::string::npos) << error.message();
  }
  EXPECT_EQ(cudaPeekAtLastError(), cudaSuccess);
  const auto automatic = make_backend({.kind = BackendKind::automatic, .threads = 1});
  ASSERT_TRUE(automatic);
  EXPECT_NE((*automatic)->description().find("too old"), std::string::npos)
      << (*automatic)->description();
  EXPECT_NE((*automatic)->description().find("install a driver"), std::string::npos);
  EXPECT_NE(backend_inventory().back().find("install a driver"), std::string::npos);
}

TEST_F(Defects, WithoutADeviceTheCpuIsTakenSilently) {
  set(with([](Settings& s) { s.is_there = false; }));
  const auto automatic = make_backend({.kind = BackendKind::automatic, .threads = 1});
  ASSERT_TRUE(automatic);
  EXPECT_EQ((*automatic)->description().find("cuda"), std::string::npos)
      << (*automatic)->description();
  const auto backend = make_cuda_backend();
  ASSERT_FALSE(backend);
  EXPECT_EQ(backend.error().what, "no CUDA device responds");
  EXPECT_EQ(cudaPeekAtLastError(), cudaSuccess);
}

TEST_F(Defects, QueriesTheOccupancyOfEveryKernel) {
  set(with([](Settings& s) { s.num_multiprocessors = 5; }));
  const auto device = std::move(*cuda::make_cuda_device());
  for (const cuda::Kernel kernel : cuda::kKernels) EXPECT_EQ(device->num_blocks(kernel) % 5, 0);
  // the products take registers and shared memory that rows by themselves do without
  EXPECT_LT(device->num_blocks(cuda::Kernel::moments_fp64), device->num_blocks(cuda::Kernel::rows));
}

/// Copies something there and back, the wait for the latter included. Whether all went well;
/// `came_back`: of the bytes.
bool copies_there_and_back(std::int64_t& calls_before_the_last_wait, bool& came_back) {
  const auto device = std::move(*cuda::make_cuda_device());
  constexpr std::size_t kBytes = 1024;
  const auto from = std::move(*device->allocate_pinned(kBytes)),
             to = std::move(*device->allocate_pinned(kBytes)),
             there = std::move(*device->allocate(kBytes));
  std::memset(from.get(), 1, kBytes);
  std::memset(to.get(), 0xFF, kBytes);
  bool is_well = device->upload(there.get(), from.get(), kBytes).ok() &&
                 device->wait_for_all().ok() &&
                 device->download(to.get(), there.get(), kBytes).ok();
  calls_before_the_last_wait = device_on_host::num_calls_that_can_fail();
  is_well = device->wait_for_all().ok() && is_well;
  came_back = std::memcmp(to.get(), from.get(), kBytes) == 0;
  return is_well;
}

// Memory is used again or freed after a wait: one stream that fails must not keep it from the
// others.
TEST_F(Defects, WaitingForAllGoesOnBehindAnError) {
  Settings settings = with([](Settings& s) { s.streams = StreamOrder::lazy; });
  set(settings);
  std::int64_t num_calls = 0;
  bool came_back = false;
  ASSERT_TRUE(copies_there_and_back(num_calls, came_back));
  ASSERT_TRUE(came_back);
  settings.fail_at = num_calls + 1;  // the wait for uploads
  set(settings);
  EXPECT_FALSE(copies_there_and_back(num_calls, came_back));
  EXPECT_TRUE(came_back);
}

}  // namespace
}  // namespace heft
