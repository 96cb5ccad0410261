// Least squares of one channel's torque at many delays, by the same rows.
//
// With Y the rows and t(d) the torques d seconds later, a fit leaves
//
//   left(d) = least over x of |t(d) - Y x|^2 + 1e-8 |D x|^2 = |P t(d)|^2,   D^2 the diagonal of Y'Y
//
// with P the projection onto the complement of the rows (with those of the small term below them).
// All delays cost a product of all columns with all torques. A lower bound costs much less: with
// orthonormal vectors u_k of that complement
//
//   left(d) >= sum over k of (u_k' t(d))^2
//
// which holds for any such vectors, and is tight where u_k span what fits of some delays leave.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "faults/fault.hpp"
#include "heft/rows/backend.hpp"
#include "linalg/factorizations.hpp"

namespace heft {

class DelayFits {
 public:
  /// Adds the rows of a stretch, all of them, and its torques.
  void add(RowArray rows, LaterTorques later);

  /// Number of rows in use.
  double num_rows() const { return num_rows_; }
  /// Whether there are enough of them for a fit; otherwise nothing below may be called.
  bool is_determined() const;

  /// Returns left(d) of all delays.
  Eigen::ArrayXd left();

  /// What fits leave, without computing all of them.
  struct Bounds {
    double of_asked = 0;  ///< at most, of the delay that was asked for
    Eigen::ArrayXd all;   ///< at least, of all delays
  };
  /// Bounds with the vectors of delay `asked` and of those delays of `must_reach` whose bound is
  /// farthest below `share` of what `asked` leaves, until none is, or after a few.
  Bounds bounds(Eigen::Index asked, const std::vector<Eigen::Index>& must_reach, double share);

 private:
  void factorize();
  Eigen::ArrayXd torque2() const;
  /// Products of what the fit of a delay leaves with the torques of all delays.
  Eigen::VectorXd products_with_left(Eigen::Index delay) const;

  std::vector<RowArray> rows_;  ///< of every stretch, those that its torques have
  std::vector<LaterTorques> later_;
  double num_rows_ = 0;
  Eigen::VectorXd scale_;               ///< 1 / D; empty: not factorized yet
  Eigen::LLT<Eigen::MatrixXd> factor_;  ///< of the scaled squares
};

}  // namespace heft
