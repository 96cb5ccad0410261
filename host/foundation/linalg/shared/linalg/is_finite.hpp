// Whether matrices hold NaN or infinities.
#pragma once

#include <Eigen/Core>

namespace heft {

/// Returns whether all numbers are finite: zero times another one is NaN. Looks at whole vectors,
/// Eigen's allFinite() at one number after another.
template <class Derived>
bool is_finite(const Eigen::DenseBase<Derived>& numbers) {
  return numbers.size() == 0 || (numbers.derived().array() * 0.0).sum() == 0;
}

}  // namespace heft
