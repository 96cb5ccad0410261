// Batches on a CUDA device: sorts problems, uploads, launches, downloads. Errors are returned as
// Result<T>.
#include "kernels/batch_cuda.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <utility>

#include "base/parallel_for.hpp"
#include "large_batch.hpp"
#include "memory.cuh"
#include "packing.hpp"
#include "semismooth.cuh"
#include "waves.hpp"

namespace heft {

namespace {

using cuda::check, cuda::kBatchOnCuda;
using Array = cuda::TwinArray<double>;

/// A wave in progress.
struct Slot {
  Array problems, answers, scratch;
  cuda::Stream stream;  // goes first, before the memory that it may still write
};

class CudaBatchSolver : public DeviceBatchSolver {
 public:
  CudaBatchSolver(const cudaDeviceProp& device, const cuda::BatchSolverOptions& options)
      : by_library_(options.by_library),
        name_(device.name),
        max_shared_bytes_(static_cast<int>(device.sharedMemPerBlockOptin)),
        blocks_at_a_time_(4 * static_cast<std::size_t>(device.multiProcessorCount)),
        wave_memory_(device.totalGlobalMem / (2 * cuda::kWaveSlots)) {}

  Result<Done> prepare() {
    return check(cuda::allow_shared_memory(max_shared_bytes_), kBatchOnCuda, "shared memory");
  }

  std::string description() const override { return "cuda (" + name_ + ")"; }

  bool takes(const solver::PlainShape& shape) override {
    const std::lock_guard lock(mutex_);
    const cuda::Placement placement = cuda::place(cuda::problem_shape(shape), max_shared_bytes_);
    return goes_to_library(placement) || placement.shared_bytes <= max_shared_bytes_;
  }

  Result<Done> solve(const solver::PlainShape& plain_shape,
                     std::span<const solver::PlainProblem> problems,
                     const solver::PlainOptions& options, int num_threads,
                     std::span<solver::PlainAnswer> answers) override {
    constexpr std::size_t kWaveBytes = std::size_t{1} << 26;  // sent at a time, or what keeps the
                                                              // device busy
    if (problems.empty()) return Done{};
    const std::lock_guard lock(mutex_);
    const cuda::ProblemShape shape = cuda::problem_shape(plain_shape);
    const cuda::Placement placement = cuda::place(shape, max_shared_bytes_);
    if (goes_to_library(placement))
      return solve_large(shape, problems, options, num_threads, answers);
    const std::size_t problem_size = static_cast<std::size_t>(cuda::PackedProblem::size_for(shape));
    const std::size_t answer_size = static_cast<std::size_t>(cuda::PackedAnswer::size_for(shape));
    const std::size_t memory_size =
        problem_size + answer_size + static_cast<std::size_t>(placement.scratch_size);
    const std::size_t wave =
        std::min(std::max(kWaveBytes / (problem_size * sizeof(double)), blocks_at_a_time_),
                 std::max<std::size_t>(1, wave_memory_ / (memory_size * sizeof(double))));

    const auto begin = [&](std::size_t s, std::size_t first, std::size_t count) -> Result<Done> {
      Slot& slot = slots_[s];
      if (!slot.stream.get()) {
        HEFT_TRY(stream, cuda::make_stream(kBatchOnCuda));
        slot.stream = std::move(stream);
      }
      HEFT_CHECK(slot.problems.reserve(count * problem_size, Array::Twin::on_host));
      HEFT_CHECK(slot.answers.reserve(count * answer_size, Array::Twin::on_host));
      HEFT_CHECK(slot.scratch.reserve(count * static_cast<std::size_t>(placement.scratch_size)));
      parallel_for(static_cast<std::int64_t>(count), num_threads, [&](std::int64_t k, int) {
        const std::size_t at = static_cast<std::size_t>(k);
        cuda::pack(problems[first + at], shape, slot.problems.host() + at * problem_size);
      });
      HEFT_CHECK(slot.problems.upload(count * problem_size, slot.stream));
      HEFT_CHECK(check(cuda::launch_solve_semismooth({shape,
                                                      placement,
                                                      static_cast<int>(count),
                                                      {options.gap_tolerance, options.max_steps},
                                                      slot.problems.device(),
                                                      slot.answers.device(),
                                                      slot.scratch.device(),
                                                      slot.stream.get()}),
                       kBatchOnCuda, "launch"));
      return slot.answers.download(count * answer_size, slot.stream);
    };
    const auto finish = [&](std::size_t s, std::size_t first, std::size_t count) -> Result<Done> {
      HEFT_CHECK(check(cudaStreamSynchronize(slots_[s].stream.get()), kBatchOnCuda, "kernel"));
      for (std::size_t k = 0; k < count; ++k)
        cuda::unpack(slots_[s].answers.host() + k * answer_size, shape, answers[first + k]);
      return Done{};
    };
    Result<Done> done = cuda::in_waves(problems.size(), wave, begin, finish);
    if (!done) abandon();
    return done;
  }

 private:
  bool goes_to_library(const cuda::Placement& placement) {
    return by_library_ && !placement.factor_is_shared && large_.is_available();
  }

  Result<Done> solve_large(const cuda::ProblemShape& shape,
                           std::span<const solver::PlainProblem> problems,
                           const solver::PlainOptions& options, int num_threads,
                           std::span<solver::PlainAnswer> answers) {
    const std::size_t wave =
        std::max<std::size_t>(1, wave_memory_ / cuda::LargeBatch::bytes_a_problem(shape));
    for (std::size_t first = 0; first < problems.size(); first += wave) {
      const std::size_t count = std::min(wave, problems.size() - first);
      const Result<Done> done = large_.solve(shape, problems.subspan(first, count), options,
                                             num_threads, answers.subspan(first, count));
      if (!done) large_.abandon();
      HEFT_CHECK(done);
    }
    return Done{};
  }

  /// After an error, waits for running work and frees the memory, which may have been insufficient.
  void abandon() {
    for (Slot& slot : slots_) {
      if (slot.stream.get())
        static_cast<void>(check(cudaStreamSynchronize(slot.stream.get()), kBatchOnCuda, "kernel"));
      for (Array* array : {&slot.problems, &slot.answers, &slot.scratch}) array->release();
    }
  }

  std::mutex mutex_;  // a call has the slots to itself
  bool by_library_;
  std::string name_;
  int max_shared_bytes_;
  std::size_t blocks_at_a_time_;
  std::size_t wave_memory_;  // bytes: all waves on their way have half of the device's
  Slot slots_[cuda::kWaveSlots];
  cuda::LargeBatch large_;
};

}  // namespace

Result<std::unique_ptr<DeviceBatchSolver>> make_cuda_batch_solver(
    const cuda::BatchSolverOptions& options) {
  HEFT_TRY(device, cuda::find_device(kBatchOnCuda));
  auto solver = std::make_unique<CudaBatchSolver>(device, options);
  HEFT_CHECK(solver->prepare());
  return std::unique_ptr<DeviceBatchSolver>(std::move(solver));
}

}  // namespace heft
