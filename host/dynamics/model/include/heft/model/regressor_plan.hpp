// A robot, its channels and its extra columns, prepared for evaluation: flat tables for the
// kernels, and the constant linear map from the parameters of the layout to the structural columns
// that the kernels accumulate. Threads: immutable; safe to read from several threads.
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

/// The kernel frame of a body (core/tree.hpp).
struct KernelFrame {
  Eigen::Isometry3d in_body;    ///< pose in the body's own frame
  Eigen::Isometry3d in_parent;  ///< pose in the parent's kernel frame, or in the base, with the
                                ///< joint at -angle
  double angle;                 ///< of the body about z when its coordinate is zero [rad]
  core::PoseKind pose;          ///< kind of the rotation of in_parent
};

/// Everything that is needed to evaluate regressor rows.
struct RegressorPlan {
  /// Null, or the plan whose channels are mixed into the whitened channels of this plan. Only that
  /// plan can evaluate rows; layout and structural columns are the same.
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
  std::int64_t packed_size = 0;  ///< doubles per set of moments per channel
  int summed_width = 0;  ///< width of the single row of the summed form: structural and extra
                         ///< columns, torque
  int num_signals = 0;   ///< sample signals that the columns refer to

  /// Structural column at every position of a channel's row, without the torque.
  std::vector<std::vector<int>> channel_columns;
  /// W, structural columns x parameters, with Y = Y_structural W: parameters that a joint cannot
  /// sense are transferred to its parent, so that their columns need not be computed (FORMULAS 1).
  Eigen::SparseMatrix<double> regrouping;

  core::TreeView view() const;
  int num_channels() const { return static_cast<int>(channels.size()); }
  int num_structural_columns() const { return static_cast<int>(regrouping.rows()); }
};

/// A shared plan: moments, backends and solvers of one identification refer to the same plan.
using PlanPtr = std::shared_ptr<const RegressorPlan>;

/// Makes a plan. Errors: a column that refers to a channel or coordinate that does not exist,
/// enters a channel twice, or has a width that is not positive.
Result<PlanPtr> make_regressor_plan(Robot robot, std::vector<Channel> channels,
                                    std::vector<Column> columns);

}  // namespace heft
#pragma GCC visibility pop
