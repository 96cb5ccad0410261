// Certified parameters from sums that keep changing. Each solution starts from the last one, with
// the warm solver if it supports the problem.
#pragma once

#include <optional>

#include "solve/warm_solver.hpp"
#include "watch/watcher.hpp"

namespace heft::watch {

class WatchSolver {
 public:
  /// `model` must outlive the solver and stay in place.
  explicit WatchSolver(const WatchModel& model);

  /// Sets parameters, gap and certificate of `answer`. Returns false if there is no answer yet.
  bool solve(const Moments& moments, WatchAnswer& answer);

 private:
  bool make(const NormalEquations& equations);

  const WatchModel& model_;
  Eigen::VectorXd channel_weights_;
  std::optional<WarmSolver> warm_;
  std::optional<Problem> problem_;  ///< if no warm solver supports the problem
  double rows_at_make_ = 0;
};

}  // namespace heft::watch
