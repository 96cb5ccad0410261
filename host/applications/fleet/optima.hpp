// Solves the convex problems of many large robots in one call on a device, if the configuration has
// one (RobotSetup::backend_of_sums).
// On a CPU a problem takes a tenth of a millisecond, but posing it in advance requires reading the
// leaves and weighting the rows a second time, which takes fifty times as long. Without a device,
// problems are therefore solved when their answers are made.
//
// The solution of a problem does not depend on its neighbors (solve_batch.hpp), so answers do not
// depend on workers, shards or previous runs. Robots that share file and options are solved
// together, as many at a time as memory allows.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "answer.hpp"
#include "heft/executor/executor.hpp"

namespace heft {

/// Returns the problem whose optimum is the robot's answer, from the sum of its leaves. Empty if
/// the answer needs more (rows weighted by residuals, a prior weight from cross-validation) or if
/// least squares are requested. Errors: those of the leaves, of the population prior, and of
/// problem_of.
Result<std::optional<Problem>> problem_of_answer(const AnswerInput& input, const RobotSetup& robot,
                                                 const FleetStore& store, const Progress& progress);

/// Returns the approximate memory of this robot's problem.
double problem_bytes(const RobotSetup& robot);

/// Solves problems. Threads: safe to call from several threads.
class AnswerSolver {
 public:
  explicit AnswerSolver(int num_threads) : num_threads_(num_threads) {}

  /// Uses the options of the robot, whose file and options all problems share, and its device,
  /// which is opened once.
  Result<std::vector<Solution>> solve(const std::vector<Problem>& problems, const RobotSetup& robot,
                                      const Progress& progress);

  /// Returns whether the robot's problems are solved on a device.
  bool has_device(const RobotSetup& robot);

 private:
  Result<std::shared_ptr<Executor>> executor_of(const RobotSetup& robot);

  int num_threads_;
  std::mutex mutex_;
  std::map<BackendKind, std::shared_ptr<Executor>> executors_;
};

}  // namespace heft
