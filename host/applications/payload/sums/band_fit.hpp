// Weighted least squares in the bands of a log, without any prior, and how wrong they may be.
// FORMULAS 8.
#pragma once

#include "bands.hpp"
#include "information.hpp"

namespace heft::payload {

/// With coefficients k of rows Y_k and wrench w_k in the fitted band, channels weighted by W =
/// diag(S)^-1, A = sum Y_k'W Y_k,
///
///   x = A^-1 sum Y_k'W w_k        covariance A^-1 (sum Y_k'W S W Y_k) A^-1
///
/// S is the covariance of what x leaves over in both bands, a channel's not below that in the
/// fitted band alone. Noise of the motion shrinks x by A^-1 D x, D = sum dY_k'W dY_k: what lies
/// beside is taken for it, as strong a coefficient in the fitted band.
struct BandFit {
  BodyParameters x = BodyParameters::Zero();
  Vector6d weights = Vector6d::Zero();
  InformationInverse inverse;                          ///< of A
  Matrix10d covariance = Matrix10d::Zero();            ///< of the error of x
  BodyParameters shrunk_by = BodyParameters::Zero();   ///< A^-1 D x of the answer
  Matrix10d covariance_if_shrunk = Matrix10d::Zero();  ///< of x + shrunk_by, whose D is as
                                                       ///< uncertain as it scatters
  double degrees = 0;                                  ///< of freedom, of S
};

/// `start`: a body from which the noise is judged first. Nothing where the bands leave too few
/// coefficients, or where bands_of has none.
std::optional<BandFit> fit_bands(const WrenchSamples& samples, BiasKind bias, double band_hz,
                                 const BodyParameters& start, const BodyParameters& answer);

}  // namespace heft::payload
