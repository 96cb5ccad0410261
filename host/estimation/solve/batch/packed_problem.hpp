// Converts a Problem to a PlainProblem, with the variable order of the batch kernels, and the
// result back to a Solution.
#pragma once

#include <vector>

#include "heft/solve/solve.hpp"
#include "solve/plain_problem.hpp"

namespace heft::solver {

/// Returns whether the batch kernels support a problem: bodies and signs only, metric prior,
/// strongly convex.
bool is_plain(const Problem& problem);

PlainOptions plain_options(const SolveOptions& options);

/// Returns the shape of a plain problem.
PlainShape plain_shape(const Problem& problem);

/// A plain problem in the order of the kernels, and memory for its solution.
class PackedProblem {
 public:
  /// Reuses memory for problems of one shape; refers to `problem` until the next call.
  void lay_out(const Problem& problem, const SolveOptions& options);

  PlainProblem view() const;
  /// Does the same, starting from the multipliers of the solution in this object's memory.
  PlainProblem warm_view() const;
  /// Returns an empty solution that uses this object's memory for y and lambda.
  PlainAnswer blank_answer();
  /// Returns y in the problem's own coordinates for a converged solution.
  void put_point(Eigen::VectorXd& y) const;
  /// Returns the solution of a converged problem in its own and in physical coordinates.
  Solution solution(const PlainAnswer& answer, const SolveOptions& options) const;

 private:
  const Problem* problem_ = nullptr;
  std::vector<int> order_;
  std::vector<char> conic_;  // whether a variable is a slack
  Eigen::VectorXd sign_, shift_, c_, weight_, center_, y_, lambda_;
  bool natural_ = false;
  double penalty_ = 1;
};

}  // namespace heft::solver
