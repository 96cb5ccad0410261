// The stage between rows and products: rows of a block are evaluated, filtered along time, given their weights and
// torques, and whitened across channels, whatever of this is asked for.
#pragma once

#include <optional>
#include <vector>

#include "heft/rows/backend.hpp"
#include "rows/whitening.hpp"

#pragma GCC visibility push(default)
namespace heft {

class RowStage {
 public:
  /// `plan`: of the moments; whitened if there is a covariance.
  RowStage(PlanPtr plan, const Eigen::MatrixXd& covariance);

  /// Rows of a block as they are multiplied: of channel c num_samples x width, torque last. Errors: the
  /// backend's.
  Result<Done> run(const Samples& block, Backend& backend, std::vector<RowArray>& rows);

 private:
  void whiten(const Samples& block, std::vector<RowArray>& rows);

  PlanPtr plan_;
  std::optional<Whitener> whitener_;
  std::vector<std::vector<Eigen::Index>>
      places_;  ///< of a channel's columns in the row of all columns, torque included
};

}  // namespace heft
#pragma GCC visibility pop
