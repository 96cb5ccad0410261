// Rows of single channels for random motions, for cases that the recursion does not cover: the
// information in a single channel, and joints whose screws are not constant. A plain regressor in
// spatial algebra, written for clarity rather than speed:
//
//   tau_c = sum over j in subtree  s_cj' (I(pi_j) a_j + v_j x* I(pi_j) v_j)
//
// where a_j is the spatial acceleration with that of a base accelerating against gravity, and s_cj
// the channel's screw in the frame of body j.
#pragma once

#include "heft/observe/observe.hpp"
#include "spatial.hpp"

namespace heft::identifiability {

class RowMaker;

/// Random motions, with base motion as in the options, and the rows of any channel for them. Equal
/// arguments give equal rows.
class RandomMotions {
 public:
  /// `robot` must outlive this object.
  RandomMotions(const Robot& robot, const ObserveOptions& options, int num_samples);
  ~RandomMotions();
  RandomMotions(const RandomMotions&) = delete;
  RandomMotions& operator=(const RandomMotions&) = delete;

  /// Returns one row of unit length per motion (zero rows stay zero), ten columns per body.
  Eigen::MatrixXd rows(const Channel& channel) const;

 private:
  const Robot& robot_;
  double tolerance_;
  std::vector<RowMaker> makers_;  ///< one per motion
};

/// Returns a basis of the span of rows, rank x columns, by QR with column pivoting after scaling
/// columns to unit length; for many rows from their triangular factor, which blocked QR computes
/// faster.
Eigen::MatrixXd row_space(const Eigen::MatrixXd& rows, double tolerance);

}  // namespace heft::identifiability
