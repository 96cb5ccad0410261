// Method `auto`: metric twice on low-passed rows, the second time about the shape carried to what the first found. FORMULAS 8.
#pragma once

#include <functional>
#include <optional>

#include "filtering.hpp"
#include "methods.hpp"

namespace heft::payload {

/// What `auto` arrived at, and from what: for intervals.
struct AutomaticFit {
  WrenchSamples samples;      ///< low-passed
  double lowpass_hz = 0;      ///< at which; 0: not at all
  double filter_samples = 1;  ///< of white noise that count as one behind the low-pass
  Sums sums;
  PayloadLeastSquares data;  ///< without any prior
  ConvexAnswer answer;
  double weight = 0;  ///< of the prior, in the last fit
};

/// What the data say before a shape is asked.
struct DataForPrior {
  WeightedSums sums;
  double mass = 0;  ///< [kg], of the first reference
  Eigen::Vector3d com = Eigen::Vector3d::Zero();
  double at_least_alike = 1;  ///< rows of `sums` that count as one at least
  double rows_worth_one = 1;  ///< by which the rows were thinned before they were summed
};

struct PriorFit {
  ConvexAnswer answer;
  double weight = 0;  ///< of the prior, in the last fit
};

/// Metric twice: about the shape with kFirstWeight, and about the shape carried to what that found, as firmly as it is known and
/// the data allow. `alike` says how many rows count as one; it is asked only where a shape seems dear. Errors as below.
Result<PriorFit> fit_about_shape(const DataForPrior& data, const PayloadOptions& options,
                                 const PayloadShape& shape, const std::function<double()>& alike);

/// The two fits, from the sums and the least squares in `fit`, whose answer and weight are set. Errors as below.
Result<Done> fit_twice(const PayloadOptions& options, const PayloadShape& shape,
                       const std::function<double()>& alike, AutomaticFit& fit);

/// Keeps a filter and memory from log to log; one a thread. What it answers does not depend on what it did before.
class AutomaticFitter {
 public:
  explicit AutomaticFitter(const PayloadOptions& options) : options_(options) {}

  /// Stays valid until the next call. Errors: a low-pass that the log does not carry, a log that gives no mass, numbers that
  /// no solver takes.
  Result<const AutomaticFit*> fit(const WrenchSamples& samples, const PayloadShape& shape);

 private:
  Result<Done> filter(const WrenchSamples& samples);

  PayloadOptions options_;
  AutomaticFit fit_;
  double rate_ = 0, filter_samples_ = 1;  ///< of smoother_
  std::optional<Smoother> smoother_;
  Eigen::ArrayXXd scratch_;
};

}  // namespace heft::payload
