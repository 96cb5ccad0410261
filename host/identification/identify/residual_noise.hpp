// Estimates the noise of channels from residuals, in one pass and constant memory.
//
//   scale       1.4826 median |e| of every channel: the standard deviation of normal noise, robust
//               to outliers
//   covariance  mean e_a e_b over the samples in which both channels are used; or, robust,
//               s_a s_b sin(pi/2 mean sign(e_a e_b)), which is that of normal noise again, with s
//               the scales (Greiner's relation between the share of equal signs and the
//               correlation)
//
// The median comes from a histogram of log |e| with resolution 1/500. A covariance from few samples
// may not be positive definite: its correlations are reduced until the smallest eigenvalue is at
// least kMinEigenvalue.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <vector>

#include "heft/model/samples.hpp"

namespace heft {

class ResidualNoise {
 public:
  static constexpr double kMinEigenvalue = 1e-3;

  explicit ResidualNoise(int num_channels);

  /// Adds the used rows of a block; `predicted` num_samples x num_channels.
  void push(const Samples& block, const Eigen::ArrayXXd& predicted);

  /// Per channel; 0 for a channel without rows or with an exact fit.
  Eigen::VectorXd scale() const;

  /// Positive definite.
  Eigen::MatrixXd covariance(bool robust) const;

 private:
  double scale_of(int channel) const;

  std::vector<std::vector<std::int64_t>> histograms_;  ///< of log |e|, one per channel
  Eigen::MatrixXd products_, signs_,
      counts_;  ///< sums over the samples in which two channels are used
};

}  // namespace heft
