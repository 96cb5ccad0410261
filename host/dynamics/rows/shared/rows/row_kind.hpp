// Kinds of rows: equations that are linear in the same parameters, of which identification sums one
// kind. A kind is a file of this module and a line in row_kind.cpp; the option `conditioning.rows`
// names it, and the samples carry it to where rows are made (UnfilteredMotion::kind), so that no
// code between needs to know it.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "heft/rows/backend.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// Rows as they are multiplied: of channel c num_samples x width, torque last, weights in them; and
/// the weights.
struct MadeRows {
  std::vector<RowArray> rows;
  Eigen::ArrayXXd weight;  ///< num_samples x num_channels; where it is 0 the row is, too
};

struct RowKind {
  const char* name;
  const char* is_of;  ///< what a row says, in a few words
  /// Rows are made of the motion around a block, and of torques before any filter; both go through
  /// UnfilteredMotion::lowpass.
  bool needs_motion_around;
  /// The first row of a sample is about all channels, and the others are empty: moments of such
  /// rows have the plan of whitened ones (whitening.hpp).
  bool mixes_channels;

  /// Makes the rows of a block. `plan` is of the robot's own channels. Errors: the backend's; a
  /// robot that has no such rows.
  Result<Done> (*make)(const RegressorPlan& plan, const Samples& block, Backend& backend,
                       MadeRows& made);
};

/// All that there are, torque first.
std::span<const RowKind* const> row_kinds();

/// Null: there is none of that name.
const RowKind* find_row_kind(const std::string& name);

/// "torque, momentum, .."
std::string row_kind_names();

/// What a block's rows are to be: of its torques, unless it says otherwise.
const RowKind& row_kind_of(const Samples& block);

/// The same samples with rows of their torques, whatever they were to be.
Samples with_torque_rows(Samples block);

/// The plan of moments of such rows.
PlanPtr plan_of_rows(const RowKind& kind, const PlanPtr& plan);

}  // namespace heft
#pragma GCC visibility pop
