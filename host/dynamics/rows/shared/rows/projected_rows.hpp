// Rows without the effect of unknown wrenches: the third transform of rows next to the filter along
// time and whitening across channels. Contacts change between samples, so rows are projected at the
// full rate, before they are filtered.
//
// Row c of a sample becomes row c of S N S^-1 Y, with S = diag(s_c) and N of core/null_space.hpp:
// what is left of channel c when the unknown wrenches explain as much as they can, in its own unit.
#pragma once

#include <span>
#include <vector>

#include "rows/row_kind.hpp"
#include "rows/unfiltered_motion.hpp"
#include "rows/unknown_wrenches.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// Returns whether the rows of a block are projected.
bool has_unknown_wrenches(const Samples& block);

/// Returns the block with rows that are not projected, and predictions without contact forces.
Samples without_unknown_wrenches(Samples block);

/// Returns the plan of projected rows: each channel that a wrench affects has the columns of all
/// such channels.
PlanPtr projected_plan(const PlanPtr& plan, const UnknownWrenches& wrenches);

/// Returns the weights of a block's projected rows: if an affected channel of a sample has weight
/// 0, so have all of them.
Eigen::ArrayXXd projected_weight(const Samples& block);

/// Returns the share of the noise variance of every channel that the projection of each sample
/// leaves, 0 where projected_weight() is 0; num_samples x num_channels.
Eigen::ArrayXXd remaining_shares(const Samples& block);

/// Computes torque rows of a block, projected, then filtered. Errors: those of the backend.
Result<Done> make_projected_rows(const RegressorPlan& plan, const Samples& block, Backend& backend,
                                 MadeRows& made);

/// Adds the torque of the unknown wrenches that explain the measured torques best to predicted
/// torques at the full rate, each UnfilteredMotion::samples x num_channels.
void add_unknown_wrenches(const Samples& block, std::span<Eigen::ArrayXXd> predicted);

/// The projection of one sample at a time.
class NullSpace {
 public:
  /// Channels that are not used count as unknown.
  NullSpace(const UnknownWrenches& wrenches, const std::vector<bool>& used);

  /// Channels that wrenches affect and that are used.
  const std::vector<int>& channels() const { return channels_; }

  /// Prepares the projection of a sample. Returns the number of independent directions.
  int set(const Samples& samples, Eigen::Index row);

  /// Replaces values of channels(), one row each, by S N S^-1 times them.
  void apply(Eigen::Ref<RowArray> values) const;

  /// Returns the shares of the variance of channels() that remain: the diagonal of N.
  Eigen::VectorXd remaining() const;

 private:
  const UnknownWrenches& wrenches_;
  std::vector<int> channels_;
  std::vector<int> place_;  ///< of a channel in channels_; -1: none
  Eigen::VectorXd noise_;   ///< of channels_
  Eigen::MatrixXd basis_;   ///< channels_ x directions
  int num_directions_ = 0;  ///< those that act
};

/// Returns the channels of a block that take part in a projection: measured, and used by a sample.
std::vector<bool> used_channels(const Samples& block);

}  // namespace heft
#pragma GCC visibility pop
