// Comparison of arrays of numbers in tests. Eigen's maxCoeff may skip a NaN; these functions do
// not, and a NaN then fails every EXPECT_LE.
#pragma once

#include <Eigen/Core>

namespace heft::oracle {

/// Largest absolute entry; NaN if there is one, 0 of an empty array.
template <class Derived>
typename Derived::Scalar largest_entry(const Eigen::MatrixBase<Derived>& x) {
  return x.size() == 0 ? typename Derived::Scalar(0)
                       : x.cwiseAbs().template maxCoeff<Eigen::PropagateNaN>();
}

/// Largest absolute difference of arrays of the same size.
template <class A, class B>
typename A::Scalar largest_difference(const Eigen::MatrixBase<A>& a,
                                      const Eigen::MatrixBase<B>& b) {
  return largest_entry(a - b);
}

/// (|Y| |x|)_c, largest over the channels c: the size of the terms that Y x adds up, and so the
/// number that rounding errors of a torque are measured by.
inline double term_size(const Eigen::MatrixXd& Y, const Eigen::VectorXd& x) {
  return largest_entry(Y.cwiseAbs() * x.cwiseAbs());
}

}  // namespace heft::oracle
