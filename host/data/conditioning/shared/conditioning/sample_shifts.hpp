// Rows that were not sampled at uniform times although their stamps, or their order, suggest it: a
// republished topic, or a logger delayed by the scheduler. One time shift per row explains the
// noise of all positions simultaneously,
//
//   q_j(k) = q_j(t_k) + qd_j(t_k) e_k + noise_j,
//
// so it is estimated from all joints together, by differences of order three or four, which contain
// almost no motion.
#pragma once

#include <Eigen/Core>
#include <optional>
#include <vector>

#pragma GCC visibility push(default)
namespace heft {

/// The time shift that the positions of several joints have in common.
struct CommonShift {
  double rms = 0;     ///< rms of the shift [s]
  double period = 0;  ///< median period of the rows [s]
  /// Per joint: share of its position noise that the shift of the other joints explains; NaN if the
  /// joint does not move.
  Eigen::ArrayXd explained = {};
  int num_joints = 0;    ///< number of moving joints
  int num_agreeing = 0;  ///< number of these with more than half of the noise explained
  /// Autocorrelation of the shift from row to row, in differences of order four; -0.8 for
  /// independent shifts.
  double autocorrelation = 0;

  /// Returns whether most joints agree on a shift that changes from row to row, unlike smooth
  /// motion or sensor noise.
  bool is_found() const;
  /// Returns the smallest explained share among the joints that agree; 1 if none agrees.
  double least_explained() const;
};

/// Estimates the shift of rows x joints relative to their stamps. Rows around a lost row or without
/// a number are excluded. Empty if fewer than 100 rows or two joints can be compared.
std::optional<CommonShift> find_common_shift(const Eigen::ArrayXd& time,
                                             const Eigen::ArrayXXd& position);

/// Returns the time [s] by which every row was sampled later than its place on a uniform grid, with
/// a mean of about zero. Requires finite numbers and at least eight rows.
Eigen::ArrayXd sample_shifts(const Eigen::ArrayXXd& position, double period);

/// Returns the derivative per row, smoothed over seven rows.
Eigen::ArrayXXd smoothed_slope(const Eigen::ArrayXXd& values);

/// Returns the first rows of stretches without a lost row; the last entry is the number of rows.
std::vector<Eigen::Index> stretches_without_lost_rows(const Eigen::ArrayXd& time, double period);

}  // namespace heft
#pragma GCC visibility pop
