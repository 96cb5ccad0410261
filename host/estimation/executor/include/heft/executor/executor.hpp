// The executor that performs all computations of a run: threads of the CPU, always available, or a
// CUDA device; in a build without nvcc the device is a stub that reports this. An Executor
// evaluates moments, rows and torques of many samples (it is a Backend) and solves batches of
// convex problems. Threads: safe to call from several threads; an executor may be shared, its calls
// are serialized.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "heft/rows/backend.hpp"
#include "heft/solve/solve_batch.hpp"

#pragma GCC visibility push(default)
namespace heft {

struct Resampled;

/// Where computations run.
enum class BackendKind { automatic, cpu, cuda };

/// Vector instructions of the CPU backend; `baseline` is the set that every processor of the
/// architecture has.
enum class InstructionSet { widest, avx512, avx2, neon, baseline };

/// Returns the name of an instruction set for display.
const char* name(InstructionSet set);

/// Returns the instruction sets that this program supports and this processor has, widest first.
std::vector<InstructionSet> available_instruction_sets();

/// Where an executor computes, and on how many threads.
struct BackendOptions {
  BackendKind kind = BackendKind::automatic;
  int threads = 0;  ///< host threads, which filter rows even if a GPU computes; 0: one per hardware
                    ///< thread
  InstructionSet instruction_set = InstructionSet::widest;  ///< selects a set for measurements; not
                                                            ///< an option of the YAML file
};

/// Number of problems solved for one purpose by one solver.
struct SolveCount {
  std::string purpose;  ///< "intervals"
  std::string by;       ///< "cuda (NVIDIA H200)", or the lanes of the CPU: "cpu (AVX-512)"
  std::int64_t problems = 0;
};

/// A backend for rows combined with a batch solver, on the CPU or a device.
class Executor final : public Backend {
 public:
  /// Combines given parts, for tests; otherwise use make_executor(). `device` may be null. The CPU
  /// solves the problems that the device does not accept, or all of them without a device, on
  /// `num_threads` threads.
  Executor(std::unique_ptr<Backend> rows, std::shared_ptr<DeviceBatchSolver> device,
           int num_threads);

  std::string description() const override { return rows_->description(); }
  Result<Done> accumulate(std::span<const AccumulateJob> jobs,
                          std::span<std::vector<double>> partials) override {
    return rows_->accumulate(jobs, partials);
  }
  Result<Done> evaluate_rows(const RegressorPlan& plan, const Samples& samples,
                             std::vector<RowArray>& rows) override {
    return rows_->evaluate_rows(plan, samples, rows);
  }
  Result<Done> accumulate_rows(std::span<const RowsJob> jobs,
                               std::span<std::vector<double>> partials) override {
    return rows_->accumulate_rows(jobs, partials);
  }
  Result<Done> predict(std::span<const PredictJob> jobs,
                       std::span<Eigen::ArrayXXd> torques) override {
    return rows_->predict(jobs, torques);
  }

  int num_threads() const override { return num_threads_; }

  /// Returns whether a device solves the problems that it accepts.
  bool has_device() const { return device_ != nullptr; }

  /// Calls solve_batch() and adds the problems to solved() under `purpose`.
  Result<std::vector<Solution>> solve(const char* purpose, const std::vector<Problem>& problems,
                                      const SolveOptions& options = {},
                                      const Progress& progress = {});
  /// Calls solve_made() and adds the problems to solved() under `purpose`.
  Result<std::vector<Solution>> solve_made(const char* purpose, int count,
                                           const std::function<Result<Problem>(int)>& make,
                                           const SolveOptions& options = {},
                                           const Progress& progress = {});

  /// Calls solve_resampled() and adds the problems to solved() under `purpose`. All problems are
  /// left unsolved if a device is to solve them or solve_resampled() does not support the problem.
  Result<Resampled> solve_resampled(const char* purpose, const Problem& whole,
                                    const std::vector<NormalEquations>& blocks,
                                    const Eigen::MatrixXi& draws, const SolveOptions& options = {},
                                    const Progress& progress = {});

  /// Returns the numbers of solved problems by purpose and solver, since `before` was returned or,
  /// without it, since construction.
  std::vector<SolveCount> solved(const std::vector<SolveCount>& before = {}) const;

 private:
  BatchOptions batch(const SolveOptions& options, const Progress& progress) const;
  Result<std::vector<Solution>> counted(const char* purpose,
                                        Result<std::vector<Solution>> solutions);
  void count(const char* purpose, const std::string& by, std::int64_t problems);

  std::unique_ptr<Backend> rows_;
  std::shared_ptr<DeviceBatchSolver> device_;
  int num_threads_;
  mutable std::mutex mutex_;                                            ///< guards solved_
  std::map<std::pair<std::string, std::string>, std::int64_t> solved_;  ///< by purpose and solver
};

/// The executor, options and progress callback that all problems of one estimate are solved with.
struct Solving {
  Executor& executor;
  SolveOptions options = {};
  Progress progress = {};
};

/// Makes an executor. `automatic` uses the GPU if there is one, otherwise the CPU; `cuda` never
/// falls back. Errors: no usable device for `cuda`, an instruction set that the processor lacks.
Result<std::shared_ptr<Executor>> make_executor(const BackendOptions& options = {});

/// Makes only the backend for rows, for callers that solve no problems.
Result<std::unique_ptr<Backend>> make_backend(const BackendOptions& options = {});

/// Returns one line per backend for `heft info`: its name, or why it is not available.
std::vector<std::string> backend_inventory();

}  // namespace heft
#pragma GCC visibility pop
