// Method `auto`: applies the same low-pass to rows and wrench, then the fits of shape_fit.hpp.
// FORMULAS 8.
#pragma once

#include <functional>
#include <optional>

#include "heft/payload/payload.hpp"
#include "samples/filtering.hpp"
#include "shape_fit.hpp"

namespace heft::payload {

/// Result of `auto` and its intermediate data, for intervals.
struct AutomaticFit {
  WrenchSamples samples;              ///< low-passed
  double lowpass_hz = 0;              ///< cutoff frequency; 0: no filter
  double filter_autocorrelation = 1;  ///< number of white-noise samples that are worth one after
                                      ///< the low-pass
  Sums sums;
  PayloadLeastSquares data;  ///< without a prior
  ConvexAnswer answer;
  double weight = 0;  ///< weight of the prior in the last fit
};

/// Problems of `fit`, with sums and least squares already set; `fit` must stay at its address.
Result<ShapeFit> shape_fit_of(const AutomaticFit& fit, const PayloadOptions& options,
                              const PayloadShape& shape);

/// Solves the problems in sequence. `autocorrelation`: see ShapeFit::take. Errors: those of
/// ShapeFit::make and solve_convex.
Result<PriorFit> fit_about_shape(const DataForPrior& data, const PayloadOptions& options,
                                 const PayloadShape& shape,
                                 const std::function<double()>& autocorrelation);

/// Does the same from the sums and least squares in `fit`, and sets its answer and weight. Further
/// error: a mass that is not positive.
Result<Done> fit_twice(const PayloadOptions& options, const PayloadShape& shape,
                       const std::function<double()>& autocorrelation, AutomaticFit& fit);

/// Errors: a task without samples or shape, no threads.
Result<Done> check_batch(const std::vector<PayloadTask>& tasks, int num_threads);

/// Reuses a filter and memory across logs; one object per thread. Results do not depend on earlier
/// calls.
class AutomaticFitter {
 public:
  explicit AutomaticFitter(const PayloadOptions& options) : options_(options) {}

  /// Stays valid until the next call. Errors: a low-pass that the log does not support, a log that
  /// does not determine a mass, numbers that no solver accepts.
  Result<const AutomaticFit*> fit(const WrenchSamples& samples, const PayloadShape& shape);

  /// Prepares everything before the solver. The shape must stay at its address.
  Result<ShapeFit> begin(const WrenchSamples& samples, const PayloadShape& shape);
  /// Returns how many rows are worth one, for samples that can be weighed.
  double autocorrelation_of(const WrenchSamples& samples);

 private:
  Result<Done> sum(const WrenchSamples& samples);
  Result<Done> filter(const WrenchSamples& samples);

  PayloadOptions options_;
  AutomaticFit fit_;
  double rate_ = 0, filter_autocorrelation_ = 1;  ///< of smoother_
  std::optional<Smoother> smoother_;
  Eigen::ArrayXXd scratch_;
};

}  // namespace heft::payload
