// Low-pass for motion and wrench, designed once for many logs with one rate.
#pragma once

#include "heft/payload/samples.hpp"
#include "heft/signal/smoother.hpp"

namespace heft::payload {

/// Returns rate_of to nine digits: logs of one clock get the same rate despite rounding of their
/// times.
double filter_rate(const WrenchSamples& samples);

/// Errors name payload.lowpass_hz.
Result<Smoother> low_pass_of(double cutoff_hz, double rate_hz);

/// `result` receives the filtered samples and reuses its memory if their number is unchanged; so
/// does `scratch`. Error: no segment is long enough.
Result<Done> low_pass(const Smoother& smoother, const WrenchSamples& samples, WrenchSamples& result,
                      Eigen::ArrayXXd& scratch);

/// Returns 1 / sum h^2 for the impulse response h: how many filtered samples of white noise are
/// worth one.
double filter_autocorrelation(const WrenchSamples& samples, double lowpass_hz);

struct SlowSamples {
  WrenchSamples samples;
  double autocorrelation = 1;  ///< filter_autocorrelation
};

/// Returns samples low-passed if they have motion and a cutoff is set; otherwise unchanged.
/// Errors: those of low_passed.
Result<SlowSamples> slow_samples(const WrenchSamples& samples, double lowpass_hz);

}  // namespace heft::payload
