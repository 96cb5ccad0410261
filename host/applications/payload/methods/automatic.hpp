// Method `auto`: rows and wrench low-passed alike, and the fits of shape_fit.hpp. FORMULAS 8.
#pragma once

#include <functional>
#include <optional>

#include "heft/payload/payload.hpp"
#include "samples/filtering.hpp"
#include "shape_fit.hpp"

namespace heft::payload {

/// What `auto` arrived at, and from what: for intervals.
struct AutomaticFit {
  WrenchSamples samples;              ///< low-passed
  double lowpass_hz = 0;              ///< at which; 0: not at all
  double filter_autocorrelation = 1;  ///< of white noise that count as one behind the low-pass
  Sums sums;
  PayloadLeastSquares data;  ///< without any prior
  ConvexAnswer answer;
  double weight = 0;  ///< of the prior, in the last fit
};

/// The problems of `fit`, whose sums and least squares are known; it has to stay where it is.
Result<ShapeFit> shape_fit_of(const AutomaticFit& fit, const PayloadOptions& options,
                              const PayloadShape& shape);

/// Solved one after another. `autocorrelation`: ShapeFit::take. Errors: those of ShapeFit::make and
/// solve_convex.
Result<PriorFit> fit_about_shape(const DataForPrior& data, const PayloadOptions& options,
                                 const PayloadShape& shape,
                                 const std::function<double()>& autocorrelation);

/// The same from the sums and the least squares in `fit`, whose answer and weight are set. Errors
/// besides: no mass above zero.
Result<Done> fit_twice(const PayloadOptions& options, const PayloadShape& shape,
                       const std::function<double()>& autocorrelation, AutomaticFit& fit);

/// Errors: a task without samples or shape, no thread.
Result<Done> check_batch(const std::vector<PayloadTask>& tasks, int num_threads);

/// Keeps a filter and memory from log to log; one a thread. What it answers does not depend on what
/// it did before.
class AutomaticFitter {
 public:
  explicit AutomaticFitter(const PayloadOptions& options) : options_(options) {}

  /// Stays valid until the next call. Errors: a low-pass that the log does not carry, a log that
  /// gives no mass, numbers that no solver takes.
  Result<const AutomaticFit*> fit(const WrenchSamples& samples, const PayloadShape& shape);

  /// Up to where a solver is needed. The shape has to stay where it is.
  Result<ShapeFit> begin(const WrenchSamples& samples, const PayloadShape& shape);
  /// How many rows count as one, of samples that can be weighed.
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
