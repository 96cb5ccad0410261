// From Problem to PlainProblem, the order in which the kernels of batches take variables, and back
// to a Solution.
#pragma once

#include <vector>

#include "heft/solve/solve.hpp"
#include "solve/plain_problem.hpp"

namespace heft::solver {

/// Bodies and signs only, metric prior, strongly convex: what the kernels of batches take.
bool is_plain(const Problem& problem);

PlainOptions plain_options(const SolveOptions& options);

/// Of a plain problem.
PlainShape plain_shape(const Problem& problem);

/// A plain problem in the order of the kernels, and the memory of its answer.
class PackedProblem {
 public:
  /// Memory stays from problem to problem of one shape; refers to `problem` until the next one.
  void lay_out(const Problem& problem, const SolveOptions& options);

  PlainProblem view() const;
  /// The same, to be started with the multipliers of the answer that this object's memory holds.
  PlainProblem warm_view() const;
  /// No answer yet, with this object's memory for y and lambda.
  PlainAnswer blank_answer();
  /// y of the problem's own coordinates at a converged answer.
  void put_point(Eigen::VectorXd& y) const;
  /// What a converged answer says of the problem, in its own coordinates and in physical ones.
  Solution solution(const PlainAnswer& answer, const SolveOptions& options) const;

 private:
  const Problem* problem_ = nullptr;
  std::vector<int> order_;
  std::vector<char> conic_;  // variable is a slack
  Eigen::VectorXd sign_, shift_, c_, weight_, center_, y_, lambda_;
  bool natural_ = false;
  double penalty_ = 1;
};

}  // namespace heft::solver
