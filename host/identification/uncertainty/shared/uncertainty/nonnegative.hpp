// Parameters that cannot be negative.
#pragma once

#include "heft/model/parameter_layout.hpp"

namespace heft {

/// Returns whether a parameter is a mass or a column with a sign; its interval does not extend
/// below zero.
inline bool is_nonnegative(const ParameterLayout& layout, int parameter) {
  const int column = parameter - layout.column_index(0);
  return column < 0 ? parameter % core::kNumParameters == core::kMass
                    : layout.columns[static_cast<std::size_t>(column)].nonnegative;
}

}  // namespace heft
