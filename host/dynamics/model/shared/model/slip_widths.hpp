// Default widths of friction with a memory, for configurations and for the menu of a search.
#pragma once

#include <vector>

#include "heft/model/parameter_layout.hpp"

namespace heft {

inline constexpr double kSlipWidth = 0.002;  ///< [rad] or [m]

/// Returns the widths of a kind without an option: of `width` one, of `widths` three, else none.
inline std::vector<double> default_widths(ColumnOption option) {
  if (option == ColumnOption::width) return {kSlipWidth};
  if (option == ColumnOption::widths) return {0.25 * kSlipWidth, kSlipWidth, 4 * kSlipWidth};
  return {};
}

}  // namespace heft
