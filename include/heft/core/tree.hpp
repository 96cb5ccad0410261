// The robot, its channels and its columns as flat tables for CPU and GPU. Filled by
// regressor_plan.cpp, body_rows.cpp and gram_layout.cpp in host/dynamics/model/.
//
// Kernel frames. Every body has a kernel frame at its joint: the origin is on the joint axis and z
// is along it, so a joint rotates about z and slides along z, and the structural columns of a body
// are entries of its pseudo-inertia in that frame. The rotation of a frame about z is a free
// choice: its x axis is parallel to the common normal with the next axis outward, on the largest
// branch (Denavit and Hartenberg), so that the rotation to the next frame is a twist about x
// followed by a rotation about z.
//
// Rows of a body. Row r of body b is the screw of one channel, transformed into b's kernel frame.
// The rows of a body are those of its parent, in the same order, followed by the channels that
// start at the body.
//
// Panels. Outer products of rows are sparse: a channel senses only bodies outward of its screw.
// Columns that occur in the same rows form a panel, a dense matrix of num_rows x width whose last
// column is the torque. The products of two panels over their common rows, summed over the samples,
// are the blocks of the moments. Threads: plain values; concurrent reads are safe, a writer needs
// exclusive access.
#pragma once

#include <cstdint>

#include "heft/core/choices.hpp"

namespace heft::core {

/// Entries of the pseudo-inertia in the kernel frame, ordered so that those kept by a revolute or
/// helical joint come first.
enum KernelEntry : int { kHx, kHy, kSxy, kSxz, kSyz, kSxx, kSyy, kHz, kM, kSzz, kNumKernelEntries };

/// Columns that a body keeps after structural regrouping: 10 minus those that its joint transfers
/// to the parent (FORMULAS 1). The value is their number.
enum class ColumnSet : int {
  none = 0,   ///< a massless link of a joint chain
  force = 2,  ///< only for rows: hx hy, the entries of a revolute body that a pure force senses
  first = 3,  ///< hx hy Sxx + Syy: a revolute body on a base at rest, which rotates only about its
              ///< own axis
  prismatic = 4,  ///< hx hy hz m
  revolute = 7,   ///< all but hz, m, Szz
  helical = 9,    ///< all but Szz
  all = 10,
};

/// Special form of the rotation R0 from a kernel frame to its parent's at angle 0. All kinds but
/// `general` require a body that rotates (BodyEntry::turn is not zero) and does not slide.
enum class PoseKind : int {
  general,
  twist,          ///< about the parent's x axis
  perpendicular,  ///< a twist by 90 degrees
  parallel,       ///< no rotation: R0 = 1
};

/// A body: its pose in the parent, its columns and its ranges in the other tables.
struct BodyEntry {
  int parent;      ///< index of the parent body, -1 for the base
  int coordinate;  ///< index of q, -1 for a body that does not move relative to its parent
  PoseKind pose;
  double rotation[9];           ///< R0, row-major
  double translation[3];        ///< origin of this kernel frame in the parent's at slide 0 [m]
  double turn, turn_offset;     ///< angle about z = turn * q + turn_offset [rad]
  double slide, slide_offset;   ///< path along z = slide * q + slide_offset [m]
  ColumnSet columns;            ///< columns that the body keeps
  bool has_children;            ///< other bodies inherit its motion and its screws
  int first_row, num_rows;      ///< rows of this body in the workspace and in TreeView::rows
  int num_parent_rows;          ///< number of these rows that are transformed from the parent
  int to_parent_row;            ///< offset from the index of such a row to that of the parent's row
  int first_screw, num_screws;  ///< the body's own screws in TreeView::screws
  int first_run, num_runs;      ///< runs of its rows in TreeView::runs
};

/// A screw that starts at a body, in its kernel frame; added to row `row` of the body, counted from
/// the body's first row. The screws of a body are in the order of their rows.
struct ScrewEntry {
  int row;
  double angular[3], linear[3];
};

/// One term of an extra column: adds the value of the feature to row `channel` at position
/// `column`.
struct FeatureEntry {
  int channel, column;
  int panel_row, panel_column;  ///< in the channel's tail
  Feature feature;
  int source;    ///< coordinate, or index of the sample signal
  double scale;  ///< 1 / width for tanh
};

/// Position of a channel's moments. The row of a channel is [structural columns | extra columns |
/// torque]; its moments are the packed upper triangle of the row's outer product with itself, so G,
/// b and tau^2 are in one array.
struct ChannelEntry {
  int width;                   ///< length of the row including the torque
  std::int64_t packed_offset;  ///< offset of its triangle in the packed moments
};

/// Special form of a row's screw (w, u) in the kernel frame of a body.
enum class ScrewKind : int {
  general,
  force,  ///< w = 0, here and outward: prismatic joints, components of force; senses h and m only
  turn,   ///< w along z, u = 0: the body's own revolute joint
};

/// How a run of rows is computed.
enum class RunKind : int {
  moved,        ///< general screws transformed from the parent; the body keeps ColumnSet::revolute
  moved_force,  ///< forces transformed from the parent
  moved_turn,   ///< one row: the parent's own revolute joint, transformed; the body keeps
                ///< ColumnSet::revolute
  turn,         ///< one row: only the body's own revolute joint
  mixed,        ///< any other combination
};

/// Consecutive rows of one body that are computed in the same way, so that the kind is tested once
/// per run instead of once per row.
struct RowRun {
  RunKind kind;
  int first_row, num_rows;  ///< in TreeView::rows
};

/// A row of a body: its channel, and the position of the body's columns in the channel's row and in
/// a panel.
struct RowEntry {
  int channel, column;
  ScrewKind kind;
  ColumnSet columns;  ///< columns, among those that the body keeps, that this row senses
  int panel_row;      ///< index into TreeView::panel_rows
  int panel_column;   ///< of the body's first column
  int panel_width;
};

/// Columns that occur in the same rows. The panel of a body's rotational rows holds its columns;
/// that of force rows spans all bodies outward; the tail of a channel holds its extra columns. The
/// last column is the torque.
struct PanelEntry {
  int width, num_rows;
  int first_row;     ///< in TreeView::panel_rows
  int first_column;  ///< in TreeView::panel_columns
  bool is_tail;      ///< tail of a channel; provides the square of the torque
};

/// One row of a panel.
struct PanelRowEntry {
  int channel;
  int column;  ///< position of the panel's first column in the channel's row; the torque is always
               ///< the last column of the panel
  int begin;   ///< scalars before it in the panels of one sample, where every row has its torque
               ///< (devices only)
  int width;   ///< width of the panel
};

/// Outer product of two panels over `num_rows` consecutive rows of each that belong to the same
/// channels.
struct BlockEntry {
  int left, right;          ///< panels, left <= right
  int left_row, right_row;  ///< first of the rows, relative to the panel's first row
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
  const int* panel_columns;  ///< structural column of every column of every panel; the torque is
                             ///< last
  const BlockEntry* blocks;
  std::int64_t packed_size;  ///< doubles in one packed set of moments per channel
  int summed_width;  ///< structural columns, extra columns and torque of all channels together
};

/// Returns the position of entry (i, j), i <= j, in the packed upper triangle of a symmetric matrix
/// of the given width.
constexpr std::int64_t packed_index(int width, int i, int j) {
  return static_cast<std::int64_t>(i) * width - static_cast<std::int64_t>(i) * (i - 1) / 2 +
         (j - i);
}

/// Returns the number of entries in the packed upper triangle.
constexpr std::int64_t packed_triangle(int width) {
  return static_cast<std::int64_t>(width) * (width + 1) / 2;
}

}  // namespace heft::core
