// The stage between rows and products: rows of a block are made as their kind says (row_kind.hpp),
// with weights and torques, and whitened across channels, if that is asked for.
#pragma once

#include <optional>
#include <vector>

#include "heft/rows/backend.hpp"
#include "rows/row_kind.hpp"
#include "rows/whitening.hpp"

#pragma GCC visibility push(default)
namespace heft {

class RowStage {
 public:
  /// `plan`: of the moments; whitened if there is a covariance, or if the kind of rows mixes
  /// channels.
  RowStage(PlanPtr plan, const Eigen::MatrixXd& covariance);

  /// Rows of a block as they are multiplied. Errors: those of their kind.
  Result<Done> run(const Samples& block, Backend& backend, MadeRows& made);

 private:
  void whiten(const Samples& block, std::vector<RowArray>& rows);

  PlanPtr plan_;
  std::optional<Whitener> whitener_;
  std::vector<std::vector<Eigen::Index>> places_;  ///< of a channel's columns in the row of all
                                                   ///< columns, torque included
};

}  // namespace heft
#pragma GCC visibility pop
