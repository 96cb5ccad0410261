// Rows that were not sampled at even times although their stamps, or their places, say so: a
// republished topic, a logger that the scheduler kept waiting. One time shift a row explains the
// noise of all positions at once,
//
//   q_j(k) = q_j(t_k) + qd_j(t_k) e_k + noise_j,
//
// so that it is estimated from all joints together: by differences of order three or four, in which
// hardly any motion is left.
#pragma once

#include <Eigen/Core>
#include <optional>
#include <vector>

#pragma GCC visibility push(default)
namespace heft {

/// What the positions of several joints have in common.
struct CommonShift {
  double rms = 0;     ///< [s] of the shift
  double period = 0;  ///< [s] of the rows, median
  /// Per joint: share of its position's noise that the shift of the other joints explains; nan:
  /// stands still.
  Eigen::ArrayXd explained = {};
  int num_joints = 0;    ///< that move
  int num_agreeing = 0;  ///< of these: more than half of the noise is explained
  /// Of the shift in differences of order four, from row to row; -0.8 if shifts are independent.
  double autocorrelation = 0;

  /// Most joints agree on a shift that changes from row to row: no motion, which is smooth, and no
  /// noise of sensors.
  bool is_found() const;
  /// The smallest share of the joints that agree; 1 without any.
  double least_explained() const;
};

/// Finds the shift in rows x joints against their stamps; rows around a lost one, or without a
/// number, are left out. Nothing where fewer than 100 rows or two joints can be compared.
std::optional<CommonShift> find_common_shift(const Eigen::ArrayXd& time,
                                             const Eigen::ArrayXXd& position);

/// Returns by how much [s] every row was sampled later than its place among even times, mean about
/// zero; of finite numbers, at least eight rows.
Eigen::ArrayXd sample_shifts(const Eigen::ArrayXXd& position, double period);

/// Returns the derivative per row, smoothed over seven rows.
Eigen::ArrayXXd smoothed_slope(const Eigen::ArrayXXd& values);

/// Returns the first rows of stretches without a lost row; the last is the number of rows.
std::vector<Eigen::Index> stretches_without_lost_rows(const Eigen::ArrayXd& time, double period);

}  // namespace heft
#pragma GCC visibility pop
