// Who computes, chosen once: threads of the CPU, which are always there, or a CUDA device, which in
// a build without nvcc is a stub that says so. An Executor does every verb: moments, rows and
// torques of many samples (as the Backend that it is), and many convex problems. Threads: any
// number of threads may call; what is made may be shared, its calls take turns.
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

enum class BackendKind { automatic, cpu, cuda };

/// Vector instructions of the CPU backend; `baseline` are those that every processor of its kind
/// has.
enum class InstructionSet { widest, avx512, avx2, neon, baseline };

const char* name(InstructionSet set);

/// Those that this program has code for and this processor runs, the widest first.
std::vector<InstructionSet> available_instruction_sets();

struct BackendOptions {
  BackendKind kind = BackendKind::automatic;
  int threads = 0;  ///< of the host, which with a GPU filters rows; 0: one per hardware thread
  InstructionSet instruction_set = InstructionSet::widest;  ///< to measure another; no option of
                                                            ///< the YAML file
};

/// So many problems of one purpose, solved by one device or by the CPU.
struct SolveCount {
  std::string purpose;  ///< "intervals"
  std::string by;       ///< "cuda (NVIDIA H200)", or the lanes of the CPU: "cpu (AVX-512)"
  std::int64_t problems = 0;
};

class Executor final : public Backend {
 public:
  /// By parts, for tests; make_executor() knows them. `device` may be null: then the CPU solves on
  /// `num_threads` threads, as it does what the device does not take.
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

  /// Whether problems go to a device, as far as it takes them.
  bool has_device() const { return device_ != nullptr; }

  /// solve_batch(); what it is for goes into solved().
  Result<std::vector<Solution>> solve(const char* purpose, const std::vector<Problem>& problems,
                                      const SolveOptions& options = {},
                                      const Progress& progress = {});
  /// solve_made(), likewise.
  Result<std::vector<Solution>> solve_made(const char* purpose, int count,
                                           const std::function<Result<Problem>(int)>& make,
                                           const SolveOptions& options = {},
                                           const Progress& progress = {});

  /// solve_resampled(), likewise; all is left unsolved where it knows no such problem or a device
  /// is to solve.
  Result<Resampled> solve_resampled(const char* purpose, const Problem& whole,
                                    const std::vector<NormalEquations>& blocks,
                                    const Eigen::MatrixXi& draws, const SolveOptions& options = {},
                                    const Progress& progress = {});

  /// What was solved, by purpose and by whom, since it was asked `before`, or since it was made.
  std::vector<SolveCount> solved(const std::vector<SolveCount>& before = {}) const;

 private:
  BatchOptions batch(const SolveOptions& options, const Progress& progress) const;
  Result<std::vector<Solution>> counted(const char* purpose,
                                        Result<std::vector<Solution>> solutions);
  void count(const char* purpose, const std::string& by, std::int64_t problems);

  std::unique_ptr<Backend> rows_;
  std::shared_ptr<DeviceBatchSolver> device_;
  int num_threads_;
  mutable std::mutex mutex_;                                            ///< of what follows
  std::map<std::pair<std::string, std::string>, std::int64_t> solved_;  ///< by purpose and by whom
};

/// An executor, and what all problems of one answer are solved with.
struct Solving {
  Executor& executor;
  SolveOptions options = {};
  Progress progress = {};
};

/// `automatic` takes the GPU if there is one and the CPU otherwise; `cuda` never falls back. Error
/// also if the processor lacks the instructions asked for.
Result<std::shared_ptr<Executor>> make_executor(const BackendOptions& options = {});

/// Its rows alone, for whom has nothing to solve.
Result<std::unique_ptr<Backend>> make_backend(const BackendOptions& options = {});

/// One line a backend for `heft info`: what it is, or why it is not available.
std::vector<std::string> backend_inventory();

}  // namespace heft
#pragma GCC visibility pop
