// The stage between samples and products: computes the rows of a block according to their kind
// (row_kind.hpp), with weights and torques, and whitens them across channels if requested.
#pragma once

#include <optional>
#include <vector>

#include "heft/rows/backend.hpp"
#include "rows/row_kind.hpp"
#include "rows/whitening.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// Computes the rows of blocks.
class RowStage {
 public:
  /// `plan` is that of the moments; whitened if there is a covariance or the kind of rows mixes
  /// channels.
  RowStage(PlanPtr plan, const Eigen::MatrixXd& covariance);

  /// Computes the rows of a block, ready to be multiplied. Errors: those of the kind.
  Result<Done> run(const Samples& block, Backend& backend, MadeRows& made);

 private:
  void whiten(const Samples& block, std::vector<RowArray>& rows);

  PlanPtr plan_;
  std::optional<Whitener> whitener_;
  std::vector<std::vector<Eigen::Index>> places_;  ///< positions of a channel's columns in the row
                                                   ///< of all columns, including torque
};

}  // namespace heft
#pragma GCC visibility pop
