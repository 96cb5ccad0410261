// The steps of kernels/solve/batch_cuda.cpp for a batch, on the host, with the kernel's function
// run by an emulated block.
#pragma once

#include <limits>
#include <span>
#include <string>
#include <vector>

#include "heft/solve/solve.hpp"
#include "host/estimation/solve/batch/packed_problem.hpp"
#include "kernels/solve/packing.hpp"
#include "kernels/solve/semismooth.hpp"
#include "solve/device_batch_solver.hpp"
#include "tests/conformance/emulated_block.hpp"

namespace heft::testing {

/// The kernel on one problem; run(program) runs program(block) on every thread of a block of
/// `num_threads`. All memory is poisoned with NaN beforehand.
template <class Run>
void run_kernel(const solver::PlainProblem& problem, const cuda::ProblemShape& shape,
                const cuda::SemismoothOptions& options, int num_threads, const Run& run,
                solver::PlainAnswer& answer) {
  const double kNaN = std::numeric_limits<double>::quiet_NaN();
  std::vector<double> packed_problem(cuda::PackedProblem::size_for(shape), kNaN),
      packed_answer(cuda::PackedAnswer::size_for(shape), kNaN),
      factors(2 * cuda::Workspace::factor_size(shape), kNaN),
      vectors(cuda::Workspace::vector_size(shape, num_threads), kNaN);
  cuda::pack(problem, shape, packed_problem.data());
  const cuda::Workspace workspace(
      shape, factors.data(), factors.data() + cuda::Workspace::factor_size(shape), vectors.data());
  run([&](const auto& block) {
    cuda::Semismooth(block, shape, cuda::PackedProblem(shape, packed_problem.data()), workspace)
        .solve(options, cuda::PackedAnswer(shape, packed_answer.data()));
  });
  cuda::unpack(packed_answer.data(), shape, answer);
}

inline const auto kInOneThread = [](const auto& program) { program(OneThread{}); };

struct DeviceRun {
  solver::PlainAnswer answer;
  Solution solution;  ///< as solve_batch makes it of the answer
};

template <class Run>
DeviceRun solve_as_device(const Problem& problem, int max_steps, int num_threads, const Run& run) {
  const SolveOptions options;
  solver::PackedProblem packed;
  packed.lay_out(problem, options);
  DeviceRun result{packed.blank_answer(), {}};
  run_kernel(packed.view(), cuda::problem_shape(solver::plain_shape(problem)),
             {options.gap_tolerance, max_steps}, num_threads, run, result.answer);
  result.solution = packed.solution(result.answer, options);
  result.answer.y = result.answer.lambda = nullptr;  // their memory goes with `packed`
  return result;
}

inline DeviceRun solve_in_one_thread(const Problem& problem, int max_steps = 20) {
  return solve_as_device(problem, max_steps, 1, kInOneThread);
}

/// A device whose blocks are one thread of the host, for problems of at most so many unknowns.
class HostBatchSolver final : public DeviceBatchSolver {
 public:
  explicit HostBatchSolver(int max_variables = std::numeric_limits<int>::max())
      : max_variables_(max_variables) {}

  std::string description() const override { return "host"; }

  bool takes(const solver::PlainShape& shape) override {
    return shape.num_variables <= max_variables_;
  }

  Result<Done> solve(const solver::PlainShape& plain_shape,
                     std::span<const solver::PlainProblem> problems,
                     const solver::PlainOptions& options, int,
                     std::span<solver::PlainAnswer> answers) override {
    const cuda::ProblemShape shape = cuda::problem_shape(plain_shape);
    for (std::size_t k = 0; k < problems.size(); ++k)
      run_kernel(problems[k], shape, {options.gap_tolerance, options.max_steps}, 1, kInOneThread,
                 answers[k]);
    return Done{};
  }

 private:
  int max_variables_;
};

}  // namespace heft::testing
