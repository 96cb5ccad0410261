// The convex problems of many robots' answers, solved in one call by a device, where the
// configuration has one. The lanes of a CPU take a tenth of a millisecond for one, and to pose it
// beforehand means to read the robot's leaves and to weigh its rows once more, which takes fifty
// times as long: without a device a problem is solved when its answer is made.
//
// A problem's neighbors change no bit of its solution (solve_batch.hpp), so neither workers nor
// shards nor what was solved by a run before show in an answer. Those of robots that share file and
// options go together, as many at a time as memory allows.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "answer.hpp"
#include "heft/executor/executor.hpp"

namespace heft {

/// The problem whose optimum is the robot's answer, from the sum of its leaves. None: it hangs on
/// more than that (rows weighed by residuals, a weight of the prior that is left to
/// cross-validation), or least squares are asked for. Errors: those of the leaves, of the
/// population prior, and of problem_of.
Result<std::optional<Problem>> problem_of_answer(const AnswerInput& input, const RobotSetup& robot,
                                                 const FleetStore& store, const Progress& progress);

/// About what a problem of this robot takes in memory.
double problem_bytes(const RobotSetup& robot);

/// Solves them. Threads: safe to call from several threads.
class AnswerSolver {
 public:
  explicit AnswerSolver(int num_threads) : num_threads_(num_threads) {}

  /// By the options of the robot, whose file and options all problems share; on its device, made
  /// once.
  Result<std::vector<Solution>> solve(const std::vector<Problem>& problems, const RobotSetup& robot,
                                      const Progress& progress);

  /// Whether the robot's problems go to a device.
  bool has_device(const RobotSetup& robot);

 private:
  Result<std::shared_ptr<Executor>> executor_of(const RobotSetup& robot);

  int num_threads_;
  std::mutex mutex_;
  std::map<BackendKind, std::shared_ptr<Executor>> executors_;
};

}  // namespace heft
