// The rows of a robot distributed over the warps of a block: each share has some of the channels,
// and its own tables, which contain only the rows of these channels and the bodies that they need.
// A warp computes the rows of its share for 32 samples, one sample per lane, with the code that all
// backends use (core/regressor.hpp). Created on the host, read by the kernels.
//
// Workspace. The values that a body inherits from its parent (a motion, and one screw per row)
// replace the parent's if no other child needs those, so the workspace grows with the depth of the
// tree instead of the number of bodies.
#pragma once

#include <cstddef>
#include <vector>

#include "heft/core/platform.hpp"
#include "heft/core/tree.hpp"

namespace heft::cuda {

/// One share as the kernels read it. Its tree has its own bodies, rows, runs, screws and features;
/// RowEntry::channel and FeatureEntry::channel count the share's channels.
struct RowShareView {
  core::TreeView tree;
  int first_body;              ///< bodies of the shares before it
  const int* body_indices;     ///< in the robot, of every body
  const int* channels;         ///< tree.num_channels channels of the robot
  const int* motion_places;    ///< in the workspace, of the base and then of every body
  const int* screw_places;     ///< of every row
  const int* row_columns;      ///< of the slab, of a row's first column
  const int* feature_columns;  ///< of the slab
  const int* torque_begin;     ///< of every channel and one more, in torque_columns
  const int* torque_columns;   ///< of the slab: where a channel's torque stands
};

/// Layout of a share's intermediate results in its workspace: weights first, then motions and
/// screws.
struct ShareLayout {
  const int *motion_places, *screw_places;

  HEFT_HD explicit ShareLayout(const RowShareView& share)
      : motion_places(share.motion_places), screw_places(share.screw_places) {}
  HEFT_HD std::ptrdiff_t motion(int body) const { return motion_places[body + 1]; }
  HEFT_HD std::ptrdiff_t weight(int channel) const { return channel; }
  HEFT_HD std::ptrdiff_t screw(int row) const { return screw_places[row]; }
};

/// Positions of columns in the slab (gram_tiles.hpp).
struct SlabColumns {
  std::vector<int> of_rows;                  ///< first column of every row of the plan
  std::vector<int> of_features;              ///< column of every feature
  std::vector<std::vector<int>> of_torques;  ///< columns of every channel's torque
};

struct RowShare {
  std::vector<core::BodyEntry> bodies;
  std::vector<core::ScrewEntry> screws;
  std::vector<core::RowEntry> rows;
  std::vector<core::RowRun> runs;
  std::vector<core::FeatureEntry> features;
  std::vector<int> body_indices, channels, motion_places, screw_places, row_columns,
      feature_columns, torque_begin, torque_columns;
  int workspace_size = 0;  ///< scalars a sample
};

/// The channels of a plan in `num_shares` shares of about the same work.
std::vector<RowShare> share_rows(const core::TreeView& tree, const SlabColumns& columns,
                                 int num_shares);

/// Its numbers; pointers are to the share.
RowShareView view_of(const core::TreeView& tree, const RowShare& share);

}  // namespace heft::cuda
