// Rows of single channels for random motions, for what the recursion does not answer: what one
// channel alone reveals, and joints whose screws are not constant. A plain regressor, a few lines
// of spatial algebra, for clarity not speed:
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

/// Random motions, the base moving as the options say, and the rows of any channel for them. Equal
/// arguments give equal rows.
class RandomMotions {
 public:
  /// `robot` outlives it.
  RandomMotions(const Robot& robot, const ObserveOptions& options, int num_samples);
  ~RandomMotions();
  RandomMotions(const RandomMotions&) = delete;
  RandomMotions& operator=(const RandomMotions&) = delete;

  /// A row of length one a motion (zero rows stay zero), ten columns per body.
  Eigen::MatrixXd rows(const Channel& channel) const;

 private:
  const Robot& robot_;
  double tolerance_;
  std::vector<RowMaker> makers_;  ///< one a motion
};

/// Basis of the span of rows, rank x columns: QR with column pivoting after scaling columns to
/// length one, of many rows that of their triangular factor, which a blocked QR makes sooner.
Eigen::MatrixXd row_space(const Eigen::MatrixXd& rows, double tolerance);

}  // namespace heft::identifiability
