// The columns that a spec gives to every joint.
#pragma once

#include <string>
#include <vector>

#include "heft/setup/setup.hpp"

namespace heft {

/// One column of every joint.
struct JointColumn {
  std::string name;        ///< before that of the joint
  std::string expression;  ///< in the joint's own q, qd, qdd and load; empty: feature or memory
  std::string angular_unit, linear_unit;
  bool is_nonnegative = false;
  double width = 0;  ///< of the velocity or, for memories, of the position
};

/// Returns the columns of a joint: several for harmonics and for lists of widths.
std::vector<JointColumn> joint_columns(const ColumnKind& kind, const ColumnSpec& spec);

}  // namespace heft
