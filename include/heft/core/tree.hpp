// The robot, its channels and its columns as flat tables that CPU and GPU read alike. Filled by
// host/dynamics/model/: regressor_plan.cpp, body_rows.cpp, gram_layout.cpp.
//
// Kernel frames. Every body has a kernel frame at its joint: origin on the joint axis, z along it.
// So a joint turns about z and slides along z, and the structural columns of a body are entries of
// its pseudo-inertia in that frame. About z a frame is free: its x axis is parallel to the common
// normal with the next axis outward, of the largest branch (Denavit and Hartenberg), so that the
// rotation to the next frame is a twist about x and a turn.
//
// Rows of a body. Row r of body b is the screw of one channel moved into b's kernel frame. A body
// has first the rows of its parent, in the same order, then the channels that start at it.
//
// Panels. Outer products of rows are sparse: a channel feels what lies outward of its screw.
// Columns that stand in the same rows form a panel, a dense matrix of num_rows x width whose last
// column is the torque; the sums over samples of products of two panels, over the rows that they
// share, are the blocks of the moments. Threads: plain values: share them for reading; a thread
// that changes one must own it.
#pragma once

#include <cstdint>

#include "heft/core/choices.hpp"

namespace heft::core {

/// Entries of the pseudo-inertia in the kernel frame, ordered so that what a revolute or helical
/// joint keeps comes first.
enum KernelEntry : int { kHx, kHy, kSxy, kSxz, kSyz, kSxx, kSyy, kHz, kM, kSzz, kNumKernelEntries };

/// Columns that a body keeps after structural regrouping: 10 minus what its joint lets through to
/// the parent (FORMULAS 1). The value is their number.
enum class ColumnSet : int {
  none = 0,       ///< a massless link of a joint chain
  force = 2,      ///< of a row only: hx hy, what a pure force feels of a revolute body
  first = 3,      ///< hx hy Sxx + Syy: a revolute body on a base at rest, which turns about its own
                  ///< axis alone
  prismatic = 4,  ///< hx hy hz m
  revolute = 7,   ///< all but hz, m, Szz
  helical = 9,    ///< all but Szz
  all = 10,
};

/// What is known of the rotation R0 from a kernel frame to its parent's at angle 0. All but
/// `general` are of bodies that turn, whose BodyEntry::turn is not zero, and do not slide.
enum class PoseKind : int {
  general,
  twist,          ///< about the parent's x axis
  perpendicular,  ///< a twist by 90 degrees
  parallel,       ///< none: R0 = 1
};

struct BodyEntry {
  int parent;      ///< index of the parent body, -1 for the base
  int coordinate;  ///< index of q, -1 for a body that does not move relative to its parent
  PoseKind pose;
  double rotation[9];           ///< R0, row-major
  double translation[3];        ///< origin of this kernel frame in the parent's at slide 0 [m]
  double turn, turn_offset;     ///< angle about z = turn * q + turn_offset [rad]
  double slide, slide_offset;   ///< path along z = slide * q + slide_offset [m]
  ColumnSet columns;            ///< what the body keeps
  bool has_children;            ///< others take its motion and its screws on
  int first_row, num_rows;      ///< rows of this body in the workspace and in TreeView::rows
  int num_parent_rows;          ///< of these, how many are the parent's, moved
  int to_parent_row;            ///< from the index of such a row to that of the parent's row
  int first_screw, num_screws;  ///< the body's own, in TreeView::screws
  int first_run, num_runs;      ///< of its rows, in TreeView::runs
};

/// A screw that starts at a body, in its kernel frame; added to row `row` of the body, counted from
/// the body's first row. A body's screws are in the order of their rows.
struct ScrewEntry {
  int row;
  double angular[3], linear[3];
};

/// One term of an extra column: the value of the feature enters row `channel` at position `column`.
struct FeatureEntry {
  int channel, column;
  int panel_row, panel_column;  ///< in the channel's tail
  Feature feature;
  int source;    ///< coordinate, or index of the sample signal
  double scale;  ///< 1 / width for tanh
};

/// The row of a channel is [structural columns | extra columns | torque]; its moments are the
/// packed upper triangle of the row's outer product with itself, so G, b and tau^2 lie in one
/// array.
struct ChannelEntry {
  int width;                   ///< length of the row, torque included
  std::int64_t packed_offset;  ///< of its triangle in the packed moments
};

/// What is known of a row's screw (w, u) in the kernel frame of a body.
enum class ScrewKind : int {
  general,
  force,  ///< w = 0, here and outward: prismatic joints, components of force; feels h and m only
  turn,   ///< w along z, u = 0: the body's own revolute joint
};

/// How a run of rows is made.
enum class RunKind : int {
  moved,        ///< general screws of the parent, moved; the body keeps ColumnSet::revolute
  moved_force,  ///< forces of the parent, moved
  moved_turn,   ///< one row: the parent's own revolute joint, moved; the body keeps
                ///< ColumnSet::revolute
  turn,         ///< one row: the body's own revolute joint and nothing else
  mixed,        ///< whatever else there is
};

/// Consecutive rows of one body that are made alike, so that the kind is asked once a run, not once
/// a row.
struct RowRun {
  RunKind kind;
  int first_row, num_rows;  ///< in TreeView::rows
};

/// A body's row: which channel it is of, where the body's columns start in that channel's row, and
/// where they lie in a panel.
struct RowEntry {
  int channel, column;
  ScrewKind kind;
  ColumnSet columns;  ///< of those that the body keeps, what this row can feel
  int panel_row;      ///< index into TreeView::panel_rows
  int panel_column;   ///< of the body's first column
  int panel_width;
};

/// Columns that stand in the same rows. The panel of a body's turning rows holds its columns; that
/// of force rows spans all bodies outward; the tail of a channel holds its extra columns. The last
/// column is the torque.
struct PanelEntry {
  int width, num_rows;
  int first_row;     ///< in TreeView::panel_rows
  int first_column;  ///< in TreeView::panel_columns
  bool is_tail;      ///< of a channel: the square of the torque comes from here
};

/// One row of a panel.
struct PanelRowEntry {
  int channel;
  int column;  ///< position of the panel's first column in the channel's row; the torque is always
               ///< its last
  int begin;  ///< scalars before it in the panels of one sample, where every row has its torque (on
              ///< devices)
  int width;  ///< of the panel
};

/// Outer product of two panels over `num_rows` consecutive rows of each, which belong to the same
/// channels.
struct BlockEntry {
  int left, right;          ///< panels, left <= right
  int left_row, right_row;  ///< first of the rows, counted from the panel's first
  int num_rows;
};

/// Non-owning view of all tables.
struct TreeView {
  int num_bodies, num_coordinates, num_channels, num_features, num_signals, num_rows, num_blocks,
      num_panel_rows;
  const BodyEntry* bodies;
  const ScrewEntry* screws;
  const RowEntry* rows;
  const RowRun* runs;
  const FeatureEntry* features;
  const ChannelEntry* channels;
  const PanelEntry* panels;
  const PanelRowEntry* panel_rows;
  const int* panel_columns;  ///< structural column of every column of every panel; the torque comes
                             ///< last
  const BlockEntry* blocks;
  std::int64_t packed_size;  ///< doubles in one packed set of moments per channel
  int summed_width;  ///< structural columns, extra columns and torque of all channels together
};

/// Position of entry (i, j), i <= j, in the packed upper triangle of a symmetric matrix of the
/// given width.
constexpr std::int64_t packed_index(int width, int i, int j) {
  return static_cast<std::int64_t>(i) * width - static_cast<std::int64_t>(i) * (i - 1) / 2 +
         (j - i);
}

/// Entries of the packed upper triangle.
constexpr std::int64_t packed_triangle(int width) {
  return static_cast<std::int64_t>(width) * (width + 1) / 2;
}

}  // namespace heft::core
