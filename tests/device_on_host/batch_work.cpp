#include "tests/device_on_host/batch_work.hpp"

#include <cmath>

#include "heft/solve/solve_batch.hpp"
#include "kernels/batch_cuda.hpp"
#include "tests/conformance/device_on_host.hpp"
#include "tests/device_on_host/runtime/stand_in.hpp"
#include "tests/solve/random_problems.hpp"

namespace heft::testing {

namespace {

constexpr double kSolution = 1e-7;

/// And after how many steps, and whether the device found them: what it leaves the CPU solves as
/// well.
Numbers answers(const std::vector<Solution>& solutions) {
  Numbers numbers;
  for (const Solution& solution : solutions) {
    if (solution.status == SolveStatus::failed) continue;
    for (const double x : solution.x) numbers.push_back(x);
    numbers.push_back(solution.iterations);
    numbers.push_back(solution.by_device);
  }
  return numbers;
}

/// What a device says of problems, with so much shared memory for a block.
DeviceTask batch_of(std::string name, std::vector<Problem> problems, int most_shared_bytes,
                    FactorsBy factors) {
  HostBatchSolver one_thread;
  Numbers expected = answers(*solve_batch_on(&one_thread, problems, {}));
  return {
      std::move(name),
      [problems = std::move(problems), most_shared_bytes, factors](int runs) -> Result<Numbers> {
        device_on_host::Settings settings = device_on_host::settings();
        settings.most_shared_bytes = most_shared_bytes;
        device_on_host::set(settings);
        HEFT_TRY(solver, make_cuda_batch_solver({.by_library = factors == FactorsBy::library}));
        Result<std::vector<Solution>> last = std::vector<Solution>{};
        for (int run = 0; run < runs; ++run) last = solve_batch_on(solver.get(), problems, {});
        if (!last) return last.error();
        return answers(*last);
      },
      std::move(expected), kSolution};
}

std::vector<Problem> random_problems(int count, int num_bodies, double true_column = 0.1) {
  return test::random_problems(count, {.seed = 72,
                                       .num_bodies = num_bodies,
                                       .num_columns = 3,
                                       .num_rows = 40,
                                       .least_prior_weight = 1e-4,
                                       .true_column = true_column});
}

}  // namespace

DeviceTask batch(std::string name, int num_bodies, int most_shared_bytes, int count, bool with_nan,
                 FactorsBy factors) {
  std::vector<Problem> problems = random_problems(count, num_bodies);
  if (with_nan) problems.front().c[2] = NAN;
  return batch_of(std::move(name), std::move(problems), most_shared_bytes, factors);
}

DeviceTask batch_at_bounds(std::string name, int num_bodies, int most_shared_bytes,
                           FactorsBy factors) {
  return batch_of(std::move(name), random_problems(3, num_bodies, -1), most_shared_bytes, factors);
}

DeviceTask batch_of_equal_entries(std::string name, int num_bodies, int most_shared_bytes) {
  std::vector<Problem> problems = random_problems(1, num_bodies);
  Problem& problem = problems.front();
  Eigen::VectorXd slack = Eigen::VectorXd::Ones(problem.cone.size());
  constexpr int kDiagonal[] = {0, 4, 7, 9};  // of an svec
  for (int block = 0; block < problem.cone.num_psd4; ++block) {
    auto svec = slack.segment(ConeShape::kSize4 * block, ConeShape::kSize4);
    svec.setZero();
    for (const int k : kDiagonal) svec[k] = 1;
    svec[1] = 0.5;  // so that it is not diagonal yet
  }
  problem.Q.setIdentity();
  problem.c = -(problem.F.transpose() * (slack - problem.g));  // its rows are orthonormal
  return batch_of(std::move(name), std::move(problems), most_shared_bytes, FactorsBy::block);
}

}  // namespace heft::testing
