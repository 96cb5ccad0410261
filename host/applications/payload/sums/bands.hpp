// Splits the spectrum of a log into a band that carries information about the body and one that
// contains only noise. Every window of a few seconds is projected on orthonormal polynomials in
// time, which treat the ends of a window like its middle; a filter leaves the ends noisy, where
// slow motion is farthest from its mean. Rows and wrench are linear in motion and wrench, so
// coefficients satisfy the same equations as samples, and white noise stays white.
//
// A window of T seconds has B T coefficients up to B / 2 hertz, and as many up to B. Hands move
// slowly: with B from the low-pass, their motion lies in the lower half, and the upper half shows
// the noise of wrench and motion. If the upper half also contains motion, both halves are fitted,
// and the noise is estimated above them.
#pragma once

#include <optional>
#include <vector>

#include "motion_moments.hpp"

namespace heft::payload {

/// Coefficients of several windows, one per row: twelve of the motion, six of the wrench, about the
/// means of samples that share a bias.
struct Band {
  Eigen::Matrix<double, Eigen::Dynamic, MotionMoments::kSize> rows;
  std::vector<int> windows;  ///< window of each row

  Eigen::Index size() const { return rows.rows(); }
  Sums sums() const;
  /// Returns the residual wrench of a body x, rows x 6.
  Eigen::ArrayXXd residuals(const BodyParameters& x) const;
};

struct Bands {
  Band fitted, beside;  ///< band with information about the body; band with only noise
  int num_windows = 0, num_offsets = 0;
};

/// `band_hz`: B. Empty for samples at rest, or if no window is long enough for a coefficient in
/// both bands.
std::optional<Bands> bands_of(const WrenchSamples& samples, BiasKind bias, double band_hz);

}  // namespace heft::payload
