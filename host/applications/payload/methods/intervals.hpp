// How sure mass and center of mass are, whatever the prior was.
#pragma once

#include "automatic.hpp"
#include "confidence.hpp"

namespace heft::payload {

/// The integrated autocorrelation time of the low-passed residuals of least squares, in samples:
/// not less than that of white noise behind the filter.
double autocorrelation_samples(const AutomaticFit& fit, BiasKind bias);

/// Of residuals of x alone, without what is known of a filter.
double autocorrelation_samples(const WrenchSamples& samples, BiasKind bias,
                               const BodyParameters& x);

/// Of residuals, samples x 6.
double autocorrelation_samples(const WrenchSamples& samples, const Eigen::ArrayXXd& residuals);

struct Intervals : AnswerIntervals {
  std::optional<KnownTool> as_tool;  ///< answer, bias and their covariance; none where rows leave
                                     ///< them open
};

/// The hull of the answer and of the 95 % interval of weighted least squares, which knows no prior:
/// a wrong shape moves the answer, but not what the interval holds (FORMULAS 8). Logs that move
/// take band_fit.hpp: noise of the motion shrinks what least squares find, and the interval reaches
/// to where that noise would have it. Poses, moments of motion too short for bands, and long logs
/// take the sums of the low-passed rows, with t n / (n - p) A^-1 as covariance, A = sum_c Y_c'Y_c /
/// s_c^2, t autocorrelation_samples and n independent rows of p unknowns. Directions that the rows
/// leave open make an interval infinite. Errors of a known tool enter: they are the payload's, and
/// those of its bias as they go through A.
Intervals intervals_of(const AutomaticFit& fit, const WrenchSamples& raw,
                       const PayloadOptions& options);

/// The form for long logs, from sums alone, with `autocorrelation` samples that count as one; noise
/// of the motion is not in it. `motion`: the sum of all samples' twelve numbers of motion, by which
/// the error of a known tool's bias enters.
Intervals student_intervals(const AutomaticFit& fit, const Eigen::VectorXd& motion,
                            double autocorrelation, const PayloadOptions& options);

}  // namespace heft::payload
