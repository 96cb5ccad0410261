// Certified parameters of sums that keep changing: each from the last, by the warm solver where the
// problem is plain.
#pragma once

#include <optional>

#include "solve/warm_solver.hpp"
#include "watch/watcher.hpp"

namespace heft::watch {

class WatchSolver {
 public:
  /// `model` stays where it is.
  explicit WatchSolver(const WatchModel& model);

  /// Fills in what the solver knows. False: there is no answer yet.
  bool solve(const Moments& moments, WatchAnswer& answer);

 private:
  bool make(const NormalEquations& equations);

  const WatchModel& model_;
  Eigen::VectorXd channel_weights_;
  std::optional<WarmSolver> warm_;
  std::optional<Problem> problem_;  ///< where no warm solver supports it
  double rows_at_make_ = 0;
};

}  // namespace heft::watch
