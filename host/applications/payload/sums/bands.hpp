// Where in its spectrum a log tells of the body, and where of nothing but noise. Every window of a
// few seconds becomes coefficients of orthonormal polynomials in time, which do to a window's ends
// what they do to its middle; a filter leaves ends as noisy as they were, and there a slow motion
// is farthest from its mean. Rows and wrench are linear in motion and wrench, so coefficients obey
// the same equations as samples, and white noise is white in them.
//
// A window of T seconds has B T coefficients up to B / 2 hertz, as many again up to B. Hands move
// slowly: with B of the low-pass, what they do lies in the lower half, and the upper half shows how
// strong the noise is beside it, that of the wrench and that of the motion. Where the upper half
// has motion, too, both halves are fitted, and noise is what lies above them.
#pragma once

#include <optional>
#include <vector>

#include "motion_moments.hpp"

namespace heft::payload {

/// Coefficients of several windows, one a row: twelve of the motion, six of the wrench, about the
/// means of samples that share a bias.
struct Band {
  Eigen::Matrix<double, Eigen::Dynamic, MotionMoments::kSize> rows;
  std::vector<int> windows;  ///< which window a row is of

  Eigen::Index size() const { return rows.rows(); }
  Sums sums() const;
  /// Rows x 6: what a body x leaves over of the wrench.
  Eigen::ArrayXXd residuals(const BodyParameters& x) const;
};

struct Bands {
  Band fitted, beside;  ///< what tells of the body; what only noise is in
  int num_windows = 0, num_offsets = 0;
};

/// `band_hz`: B. Nothing of samples at rest, or if no window is long enough for a coefficient in
/// both bands.
std::optional<Bands> bands_of(const WrenchSamples& samples, BiasKind bias, double band_hz);

}  // namespace heft::payload
