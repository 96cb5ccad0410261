// Anderson acceleration of a fixed-point iteration v <- v + f(v), type II, with a safeguard.
//
// The next point is the plain one minus the combination of the last m changes that minimizes the
// residual in least squares. If an accelerated point has a residual larger by more than a factor
// than its predecessor, the plain step replaces it and the memory is cleared, so the iteration
// converges whenever the plain one does.
#pragma once

#include <Eigen/Core>

#include "linalg/factorizations.hpp"

namespace heft::solver {

class Anderson {
 public:
  /// `memory` = 0 is the plain iteration. Allocates all memory.
  Anderson(Eigen::Index size, int memory);

  /// Replaces v by the next point, given f = f(v). Does not allocate.
  void advance(Eigen::VectorXd& v, const Eigen::VectorXd& f);

  /// Clears the memory; call when the iteration itself has changed.
  void reset();

 private:
  void remember(const Eigen::VectorXd& v, const Eigen::VectorXd& f);
  bool extrapolate(Eigen::VectorXd& v, const Eigen::VectorXd& f);

  int memory_;
  int count_ = 0;  // number of stored differences
  int next_ = 0;   // column that the next difference overwrites
  bool has_previous_ = false;
  bool accelerated_ = false;  // whether the current point was extrapolated
  double previous_norm_ = 0;
  Eigen::MatrixXd df_, dg_;  // changes of f and of v + f, one column each
  Eigen::MatrixXd gram_;     // df'df
  Eigen::VectorXd f_previous_, plain_previous_;
  Eigen::MatrixXd system_;
  Eigen::VectorXd weights_;
};

}  // namespace heft::solver
