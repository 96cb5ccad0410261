#include "automatic.hpp"

#include "intervals.hpp"
#include "samples/filtering.hpp"

namespace heft::payload {

namespace {

Result<Done> solve(ShapeFit& fit, const std::function<double()>& autocorrelation) {
  while (!fit.is_done()) {
    HEFT_TRY(answer, solve_convex(fit.sums(), fit.reference(), fit.problem()));
    fit.take(std::move(answer), autocorrelation);
  }
  return Done{};
}

}  // namespace

Result<ShapeFit> shape_fit_of(const AutomaticFit& fit, const PayloadOptions& options,
                              const PayloadShape& shape) {
  HEFT_TRY(mass, mass_of_log(fit.sums, options));
  return ShapeFit::make({.sums = weighted(fit.sums, inverse_squares(fit.data.rms)),
                         .mass = mass,
                         .com = com_of(fit.data.x),
                         .least_autocorrelation = fit.filter_autocorrelation},
                        options, shape);
}

Result<PriorFit> fit_about_shape(const DataForPrior& data, const PayloadOptions& options,
                                 const PayloadShape& shape,
                                 const std::function<double()>& autocorrelation) {
  HEFT_TRY(fit, ShapeFit::make(data, options, shape));
  HEFT_CHECK(solve(fit, autocorrelation));
  return fit.found();
}

Result<Done> fit_twice(const PayloadOptions& options, const PayloadShape& shape,
                       const std::function<double()>& autocorrelation, AutomaticFit& fit) {
  HEFT_TRY(about, shape_fit_of(fit, options, shape));
  HEFT_CHECK(solve(about, autocorrelation));
  fit.answer = about.found().answer;
  fit.weight = about.found().weight;
  return Done{};
}

Result<Done> AutomaticFitter::filter(const WrenchSamples& samples) {
  fit_.lowpass_hz = 0;
  fit_.filter_autocorrelation = 1;
  if (!samples.moves || !(options_.lowpass_hz > 0)) {
    fit_.samples = samples;
    return Done{};
  }
  const double rate = filter_rate(samples);
  if (!smoother_ || rate != rate_) {
    HEFT_TRY(made, low_pass_of(options_.lowpass_hz, rate));
    smoother_ = std::move(made);
    rate_ = rate;
    filter_autocorrelation_ = filter_autocorrelation(samples, options_.lowpass_hz);
  }
  HEFT_CHECK(low_pass(*smoother_, samples, fit_.samples, scratch_));
  fit_.lowpass_hz = options_.lowpass_hz;
  fit_.filter_autocorrelation = filter_autocorrelation_;
  return Done{};
}

Result<Done> AutomaticFitter::sum(const WrenchSamples& samples) {
  HEFT_CHECK(filter(samples));
  fit_.sums = sums_of(fit_.samples, options_.bias);
  HEFT_TRY(data, least_squares_of(fit_.sums));
  fit_.data = std::move(data);
  return Done{};
}

Result<const AutomaticFit*> AutomaticFitter::fit(const WrenchSamples& samples,
                                                 const PayloadShape& shape) {
  HEFT_CHECK(sum(samples));
  HEFT_CHECK(fit_twice(
      options_, shape, [&] { return autocorrelation_samples(fit_, options_.bias); }, fit_));
  return &fit_;
}

Result<ShapeFit> AutomaticFitter::begin(const WrenchSamples& samples, const PayloadShape& shape) {
  HEFT_CHECK(sum(samples));
  return shape_fit_of(fit_, options_, shape);
}

double AutomaticFitter::autocorrelation_of(const WrenchSamples& samples) {
  return sum(samples) ? autocorrelation_samples(fit_, options_.bias) : 1;
}

}  // namespace heft::payload
