// Batches on a CUDA device: brings problems into its order, uploads, launches, downloads. Errors leave this file as
// Result<T>.
#include "kernels/solve_batch_cuda.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "host/cpu/parallel_for.hpp"
#include "kernels/solve_memory.cuh"
#include "kernels/solve_packing.hpp"
#include "kernels/solve_semismooth.cuh"

namespace heft {

namespace {

using cuda::succeeded;
using Array = cuda::TwinArray<double>;

class CudaBatchSolver : public DeviceBatchSolver {
 public:
  explicit CudaBatchSolver(const cudaDeviceProp& device)
      : name_(device.name), max_shared_bytes_(static_cast<int>(device.sharedMemPerBlockOptin)) {}

  std::string description() const override { return "cuda (" + name_ + ")"; }

  Result<Done> solve(const solver::PlainShape& plain_shape, std::span<const solver::PlainProblem> problems,
                     const solver::PlainOptions& options, int num_threads,
                     std::span<solver::PlainAnswer> answers) override {
    constexpr std::size_t kWaveBytes = std::size_t{1} << 29;  // of device memory, for large problems
    if (problems.empty()) return Done{};
    const cuda::ProblemShape shape = cuda::problem_shape(plain_shape);
    const cuda::Placement placement = cuda::place(shape, max_shared_bytes_);
    if (placement.shared_bytes > max_shared_bytes_)
      return Error{
          "batch on cuda",
          std::to_string(shape.num_variables) + " unknowns are more than a block's shared memory holds",
          "take the CPU"};
    const std::size_t each = static_cast<std::size_t>(
        cuda::PackedProblem::size_for(shape) + cuda::PackedAnswer::size_for(shape) + placement.scratch_size);
    const std::size_t wave =
        std::clamp<std::size_t>(kWaveBytes / (each * sizeof(double)), 1, problems.size());
    for (std::size_t first = 0; first < problems.size(); first += wave) {
      const std::size_t count = std::min(wave, problems.size() - first);
      HEFT_CHECK(solve_wave(shape, placement, problems.subspan(first, count), options, num_threads,
                            answers.subspan(first, count)));
    }
    return Done{};
  }

 private:
  Result<Done> solve_wave(const cuda::ProblemShape& shape, const cuda::Placement& placement,
                          std::span<const solver::PlainProblem> problems, const solver::PlainOptions& options,
                          int num_threads, std::span<solver::PlainAnswer> answers) {
    const std::size_t count = problems.size();
    const std::size_t problem_size = static_cast<std::size_t>(cuda::PackedProblem::size_for(shape));
    const std::size_t answer_size = static_cast<std::size_t>(cuda::PackedAnswer::size_for(shape));
    HEFT_CHECK(problems_.reserve(count * problem_size, Array::Twin::on_host));
    HEFT_CHECK(answers_.reserve(count * answer_size, Array::Twin::on_host));
    HEFT_CHECK(scratch_.reserve(count * static_cast<std::size_t>(placement.scratch_size)));

    parallel_for(static_cast<std::int64_t>(count), num_threads, [&](std::int64_t k, int) {
      cuda::pack(problems[k], shape, problems_.host() + k * static_cast<std::int64_t>(problem_size));
    });
    HEFT_CHECK(problems_.upload(count * problem_size));
    HEFT_CHECK(succeeded(cuda::launch_solve_semismooth({shape,
                                                        placement,
                                                        static_cast<int>(count),
                                                        {options.gap_tolerance, options.max_semismooth_steps},
                                                        problems_.device(),
                                                        answers_.device(),
                                                        scratch_.device(),
                                                        nullptr}),
                         "launch"));
    HEFT_CHECK(succeeded(cudaDeviceSynchronize(), "kernel"));
    HEFT_CHECK(answers_.download(count * answer_size));
    for (std::size_t k = 0; k < count; ++k)
      cuda::unpack(answers_.host() + k * answer_size, shape, answers[k]);
    return Done{};
  }

  std::string name_;
  int max_shared_bytes_;
  Array problems_, answers_, scratch_;
};

}  // namespace

Result<std::unique_ptr<DeviceBatchSolver>> make_cuda_batch_solver() {
  HEFT_TRY(device, cuda::find_device());
  return std::unique_ptr<DeviceBatchSolver>(std::make_unique<CudaBatchSolver>(device));
}

}  // namespace heft
