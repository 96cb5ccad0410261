// A robot, its channels and its extra columns, prepared for evaluation: flat tables for the kernels
// and the constant linear map between what the kernels accumulate (structural columns) and the
// parameters of the layout. Threads: a plan never changes once it is made: any number of threads
// may read it.
#pragma once

#include <Eigen/SparseCore>
#include <cstdint>
#include <memory>
#include <vector>

#include "heft/base/result.hpp"
#include "heft/core/tree.hpp"
#include "heft/model/parameter_layout.hpp"
#include "heft/model/robot.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// Where the kernel frame of a body lies (core/tree.hpp).
struct KernelFrame {
  Eigen::Isometry3d in_body;    ///< pose in the body's own frame
  Eigen::Isometry3d in_parent;  ///< in the parent's kernel frame, or the base, with the joint at
                                ///< -angle
  double angle;                 ///< of the body about z when its coordinate is zero [rad]
  core::PoseKind pose;          ///< what in_parent's rotation is
};

struct RegressorPlan {
  /// Null, or: the channels of this plan are whitened mixtures of that plan's, which alone knows
  /// how to evaluate rows; layout and structural columns are the same.
  std::shared_ptr<const RegressorPlan> whitened_from;

  Robot robot;
  std::vector<Channel> channels;
  ParameterLayout layout;

  std::vector<KernelFrame> kernel_frames;  ///< of every body
  std::vector<core::BodyEntry> bodies;
  std::vector<core::ScrewEntry> screws;
  std::vector<core::RowEntry> rows;
  std::vector<core::RowRun> runs;
  std::vector<core::FeatureEntry> features;
  std::vector<core::ChannelEntry> channel_entries;
  std::vector<core::PanelEntry> panels;
  std::vector<core::PanelRowEntry> panel_rows;
  std::vector<int> panel_columns;
  std::vector<core::BlockEntry> blocks;
  std::int64_t packed_size = 0;  ///< doubles in the moments per channel
  int summed_width = 0;  ///< of the one row of the summed form: structural and extra columns,
                         ///< torque
  int num_signals = 0;   ///< sample signals that the columns refer to

  /// Structural column of every position of a channel's row, torque excluded.
  std::vector<std::vector<int>> channel_columns;
  /// W, structural columns x parameters, with Y = Y_structural W: what a joint cannot feel is
  /// handed on to its parent, so that its columns need not be computed (FORMULAS 1).
  Eigen::SparseMatrix<double> regrouping;

  core::TreeView view() const;
  int num_channels() const { return static_cast<int>(channels.size()); }
  int num_structural_columns() const { return static_cast<int>(regrouping.rows()); }
};

/// Shared because moments, backends and solvers of one identification all refer to the same plan.
using PlanPtr = std::shared_ptr<const RegressorPlan>;

/// Error if a column refers to a channel or coordinate that does not exist, enters a channel twice,
/// or has a width that is not positive.
Result<PlanPtr> make_regressor_plan(Robot robot, std::vector<Channel> channels,
                                    std::vector<Column> columns);

}  // namespace heft
#pragma GCC visibility pop
