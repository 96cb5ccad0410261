// One problem after the other, each a little different from the one before: a moving window of
// data, a weight that is tuned. Threads: an object is one thread's at a time.
#pragma once

#include <memory>

#include "heft/solve/problem.hpp"
#include "heft/solve/solve.hpp"

#pragma GCC visibility push(default)
namespace heft {

class WarmSolver {
 public:
  /// Takes all memory. Fails on options that make no sense and on problems that are not plain:
  /// bodies and signs only, metric prior, method automatic.
  static Result<WarmSolver> make(Problem problem, const SolveOptions& options = {});
  WarmSolver(WarmSolver&&) noexcept;
  WarmSolver& operator=(WarmSolver&&) noexcept;
  ~WarmSolver();

  /// Problem::update.
  Result<Done> update(const NormalEquations& equations);

  /// Solves, from the last answer if there is one. False if the gap did not come within the
  /// tolerance: solve() then says why. Neither this nor update() allocates.
  bool solve();

  const Problem& problem() const;
  /// Of the last solve() that was true: parameters of the layout.
  const Eigen::VectorXd& parameters() const;
  double gap() const;  ///< relative, as Solution::gap
  int num_steps() const;
  /// All that solve() says of it.
  Solution solution() const;

 private:
  struct State;
  explicit WarmSolver(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace heft
#pragma GCC visibility pop
