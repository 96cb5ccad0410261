// Kinds of rows: equations that are linear in the same parameters; identification sums the rows of
// one kind. A kind is a file of this module and a line in row_kind.cpp. The option
// `conditioning.rows` names it and the samples carry it to where rows are computed
// (UnfilteredMotion::kind), so other code does not depend on it.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "heft/rows/backend.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// Rows ready to be multiplied, and their weights. rows[c] is num_samples x width of channel c,
/// torque last, weights included.
struct MadeRows {
  std::vector<RowArray> rows;
  Eigen::ArrayXXd weight;  ///< num_samples x num_channels; where it is 0, so is the row
};

/// One kind of rows.
struct RowKind {
  const char* name;
  const char* is_of;  ///< equation of a row in a few words
  /// Rows depend on the motion around a block and on raw torques; both pass through
  /// UnfilteredMotion::lowpass.
  bool needs_motion_around;
  /// The first row of a sample involves all channels and the others are empty; moments of such rows
  /// have a whitened plan (whitening.hpp).
  bool mixes_channels;

  /// Computes the rows of a block. `plan` has the robot's own channels. Errors: those of the
  /// backend; a robot without such rows.
  Result<Done> (*make)(const RegressorPlan& plan, const Samples& block, Backend& backend,
                       MadeRows& made);
};

/// Returns all kinds, torque first.
std::span<const RowKind* const> row_kinds();

/// Returns the kind with this name; null if it is unknown.
const RowKind* find_row_kind(const std::string& name);

/// Returns the list of names: "torque, momentum, ..".
std::string row_kind_names();

/// Returns the kind of a block's rows: torque unless the block specifies another.
const RowKind& row_kind_of(const Samples& block);

/// Returns the samples with rows of kind torque.
Samples with_torque_rows(Samples block);

/// Returns the plan for moments of such rows.
PlanPtr plan_of_rows(const RowKind& kind, const PlanPtr& plan);

}  // namespace heft
#pragma GCC visibility pop
