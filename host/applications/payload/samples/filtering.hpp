// The low-pass that goes over motion and wrench alike, made once for many logs of one rate.
#pragma once

#include "heft/payload/samples.hpp"
#include "heft/signal/smoother.hpp"

namespace heft::payload {

/// rate_of to nine digits: logs of one clock have one rate, whatever the rounding of their times.
double filter_rate(const WrenchSamples& samples);

/// Errors name payload.lowpass_hz.
Result<Smoother> low_pass_of(double cutoff_hz, double rate_hz);

/// `result` takes the samples, filtered, and keeps its memory if their number is the same; so does
/// `scratch`. Error: no segment is long enough.
Result<Done> low_pass(const Smoother& smoother, const WrenchSamples& samples, WrenchSamples& result,
                      Eigen::ArrayXXd& scratch);

/// 1 / sum h^2 of the low-pass's impulse response h: how many samples of white noise count as one
/// behind it.
double filter_autocorrelation(const WrenchSamples& samples, double lowpass_hz);

struct SlowSamples {
  WrenchSamples samples;
  double autocorrelation = 1;  ///< filter_autocorrelation
};

/// Low-passed, where they move and a cut-off is given; else as they are. Errors: those of
/// low_passed.
Result<SlowSamples> slow_samples(const WrenchSamples& samples, double lowpass_hz);

}  // namespace heft::payload
