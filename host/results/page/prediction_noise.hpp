// Compares the predictions of two models, and tests whether the difference exceeds the noise.
//
// The logs are cut into blocks. With e_b and t_b the sums of squared errors and torques of block b,
// the squared relative error is r^2 = sum e_b / sum t_b. Two models validated on the same torques
// are compared block by block: the difference of the sums has the standard error s of the sum of
// the differences d_b of blocks,
//   s^2 = B / (B - 1) sum (d_b - mean d)^2 (1 + rho) / (1 - rho),
// with rho the correlation of neighboring blocks, limited to 0 to 0.9 (FORMULAS 6). Otherwise each
// r^2 has the standard error of the ratio, with d_b = e_b - r^2 t_b, and the two are treated as
// independent.
#pragma once

#include <vector>

namespace heft {

struct BlockErrors {
  std::vector<double> error2, torque2;
};

struct PredictionDifference {
  double difference = 0;      ///< r_B^2 - r_A^2: below zero, B predicts better
  double standard_error = 0;  ///< of the difference
  double threshold = 0;  ///< number of standard errors that is significant: 95 %, Student's t with
                         ///< B - 1 degrees of freedom
  bool paired = false;   ///< whether both were validated on the same torques

  bool is_more_than_noise() const;
};

/// Minimum number of blocks for an estimate of the noise.
inline constexpr int kMinBlocks = 8;

/// Both must have at least kMinBlocks, arrays of equal length, and a torque in some block.
PredictionDifference prediction_difference(const BlockErrors& a, const BlockErrors& b);

}  // namespace heft
