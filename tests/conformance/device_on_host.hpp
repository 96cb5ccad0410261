// The device's way through a batch, on the host: what kernels/solve_batch_cuda.cpp does, with the kernel's function run
// by a block on this machine.
#pragma once

#include <limits>
#include <vector>

#include "heft/solve.hpp"
#include "host/solve/batch/laid_problem.hpp"
#include "kernels/solve_packing.hpp"
#include "kernels/solve_semismooth.hpp"
#include "tests/conformance/emulated_block.hpp"

namespace heft::testing {

struct DeviceRun {
  solver::PlainAnswer answer;
  Solution solution;  ///< as solve_batch makes it of the answer
};

/// Solves a plain problem; run(program) runs program(block) on every thread of a block of `num_threads`. All memory is
/// poisoned with NaN beforehand.
template <class Run>
DeviceRun solve_as_device(const Problem& problem, int max_steps, int num_threads, const Run& run) {
  const double kNaN = std::numeric_limits<double>::quiet_NaN();
  const SolveOptions options;
  solver::LaidProblem laid;
  laid.lay_out(problem, options);
  const cuda::ProblemShape shape = cuda::problem_shape(solver::plain_shape(problem));
  std::vector<double> packed_problem(cuda::PackedProblem::size_for(shape), kNaN),
      packed_answer(cuda::PackedAnswer::size_for(shape), kNaN),
      factors(2 * cuda::Workspace::factor_size(shape), kNaN),
      vectors(cuda::Workspace::vector_size(shape, num_threads), kNaN);
  cuda::pack(laid.view(), shape, packed_problem.data());
  const cuda::Workspace workspace(shape, factors.data(), factors.data() + cuda::Workspace::factor_size(shape),
                                  vectors.data());
  run([&](const auto& block) {
    cuda::Semismooth(block, shape, cuda::PackedProblem(shape, packed_problem.data()), workspace)
        .solve({options.gap_tolerance, max_steps}, cuda::PackedAnswer(shape, packed_answer.data()));
  });
  DeviceRun result{laid.blank_answer(), {}};
  cuda::unpack(packed_answer.data(), shape, result.answer);
  result.solution = laid.solution(result.answer, options);
  result.answer.y = result.answer.lambda = nullptr;  // their memory goes with `laid`
  return result;
}

inline DeviceRun solve_in_one_thread(const Problem& problem, int max_steps = 20) {
  return solve_as_device(problem, max_steps, 1, [](const auto& program) { program(OneThread{}); });
}

}  // namespace heft::testing
