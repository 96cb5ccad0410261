// Solves a sequence of similar problems: a moving window of data, or a weight that is tuned.
// Threads: an object is used by one thread at a time.
#pragma once

#include <memory>

#include "heft/solve/problem.hpp"
#include "heft/solve/solve.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// Solves similar problems with warm starts.
class WarmSolver {
 public:
  /// Makes a solver and allocates all memory. Errors: invalid options; a problem that is not plain:
  /// only bodies and signs, metric prior, method automatic.
  static Result<WarmSolver> make(Problem problem, const SolveOptions& options = {});
  WarmSolver(WarmSolver&&) noexcept;
  WarmSolver& operator=(WarmSolver&&) noexcept;
  ~WarmSolver();

  /// Calls Problem::update.
  Result<Done> update(const NormalEquations& equations);

  /// Solves the problem, starting from the last solution if there is one. Returns false if the gap
  /// did not reach the tolerance; solve() of solve.hpp then gives the reason. This function and
  /// update() allocate no memory.
  bool solve();

  const Problem& problem() const;
  /// Returns the parameters of the layout from the last solve() that returned true.
  const Eigen::VectorXd& parameters() const;
  double gap() const;  ///< relative, as Solution::gap
  int num_steps() const;
  /// Returns the complete solution.
  Solution solution() const;

 private:
  struct State;
  explicit WarmSolver(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace heft
#pragma GCC visibility pop
