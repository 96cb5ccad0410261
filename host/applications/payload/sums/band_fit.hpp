// Weighted least squares in the frequency bands of a log, without a prior, and its errors.
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
/// S is the covariance of the residuals of x in both bands, per channel at least that of the fitted
/// band alone. Noise of the motion attenuates x by A^-1 D x, D = sum dY_k'W dY_k, estimated from
/// the adjacent band, assuming equally strong coefficients in the fitted band.
struct BandFit {
  BodyParameters x = BodyParameters::Zero();
  Vector6d weights = Vector6d::Zero();
  InformationInverse inverse;                          ///< of A
  Matrix10d covariance = Matrix10d::Zero();            ///< of the error of x
  BodyParameters shrunk_by = BodyParameters::Zero();   ///< A^-1 D x of the answer
  Matrix10d covariance_if_shrunk = Matrix10d::Zero();  ///< of x + shrunk_by, including the
                                                       ///< uncertainty of D from its scatter
  double degrees = 0;                                  ///< degrees of freedom of S
};

/// `start`: body for the first noise estimate. Empty if the bands have too few coefficients, or
/// bands_of returns nothing.
std::optional<BandFit> fit_bands(const WrenchSamples& samples, BiasKind bias, double band_hz,
                                 const BodyParameters& start, const BodyParameters& answer);

}  // namespace heft::payload
