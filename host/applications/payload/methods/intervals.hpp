// Intervals of mass and center of mass, independent of the prior.
#pragma once

#include "automatic.hpp"
#include "confidence.hpp"

namespace heft::payload {

/// Returns the integrated autocorrelation time of the low-passed residuals of least squares, in
/// samples; at least that of filtered white noise.
double autocorrelation_samples(const AutomaticFit& fit, BiasKind bias);

/// Computes it from the residuals of x alone, without the filter's autocorrelation.
double autocorrelation_samples(const WrenchSamples& samples, BiasKind bias,
                               const BodyParameters& x);

/// Statistics of residuals, samples x 6.
double autocorrelation_samples(const WrenchSamples& samples, const Eigen::ArrayXXd& residuals);

struct Intervals : AnswerIntervals {
  std::optional<KnownTool> as_tool;  ///< answer, bias and their covariance; empty if the rows do
                                     ///< not determine them
};

/// Returns the hull of the answer and of the 95 % interval of weighted least squares without a
/// prior: a wrong shape moves the answer, but not the interval's content (FORMULAS 8). Logs with
/// motion use band_fit.hpp: noise of the motion attenuates least squares, and the interval extends
/// to the corrected value. Poses, motion too short for bands, and long logs use the sums of the
/// low-passed rows, with covariance t n / (n - p) A^-1, A = sum_c Y_c'Y_c / s_c^2, t
/// autocorrelation_samples and n independent rows of p unknowns. Directions that the rows do not
/// determine give infinite intervals. Errors of a known tool's parameters add to those of the
/// payload; errors of its bias propagate through A.
Intervals intervals_of(const AutomaticFit& fit, const WrenchSamples& raw,
                       const PayloadOptions& options);

/// Variant for long logs, from sums alone, with `autocorrelation` samples that are worth one;
/// ignores noise of the motion. `motion`: sum of the twelve motion numbers of all samples, through
/// which the error of a known tool's bias enters.
Intervals student_intervals(const AutomaticFit& fit, const Eigen::VectorXd& motion,
                            double autocorrelation, const PayloadOptions& options);

}  // namespace heft::payload
