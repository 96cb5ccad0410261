// Addition of packed sums by vectors, which -O2 does not do by itself.
#pragma once

#include <Eigen/Core>
#include <vector>

namespace heft {

/// into += from, entry by entry.
inline void add_numbers(const double* from, std::vector<double>& into) {
  const auto size = static_cast<Eigen::Index>(into.size());
  Eigen::Map<Eigen::ArrayXd>(into.data(), size) += Eigen::Map<const Eigen::ArrayXd>(from, size);
}

}  // namespace heft
