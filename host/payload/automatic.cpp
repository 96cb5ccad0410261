#include "automatic.hpp"

#include "intervals.hpp"
#include "shape_parts.hpp"

namespace heft::payload {

namespace {

constexpr double kFirmSpread = 6000;  // 1.3 %, about the tensor of a real shape at its fitted centre of mass
constexpr double kLoosen = 3;
constexpr double kChance = 60;

/// The shape's tensor about its centre of mass, moved to mass and centre of mass of `x`.
BodyParameters carried(const PayloadShape& shape, const BodyParameters& x) {
  const Eigen::Vector3d from = shape.unit.segment<3>(core::kMcx),
                        to = x.segment<3>(core::kMcx) / x[core::kMass];
  return x[core::kMass] * transformed(Eigen::Isometry3d(Eigen::Translation3d(to - from)), shape.unit);
}

}  // namespace

Result<PriorFit> fit_about_shape(const DataForPrior& data, const PayloadOptions& options,
                                 const PayloadShape& given, const std::function<double()>& alike) {
  const WeightedSums& sums = data.sums;
  HEFT_TRY(constraints, constraints_of(options, given));
  std::optional<PayloadShape> matched;
  const PayloadShape& shape = given.parts.empty() ? given : matched.emplace(with_matched_parts(given, sums));
  const bool has_shape = shape.kind != PayloadShape::Kind::nothing;
  ConvexOptions convex{.weight = has_shape ? kFirstWeight : options.metric_weight.value_or(kFirstWeight),
                       .constraints = constraints,
                       .certifies = !has_shape};
  PriorFit fit{.weight = convex.weight};
  HEFT_TRY(first, solve_convex(sums, reference_of(shape, data.mass, data.com), convex));
  fit.answer = std::move(first);
  if (!has_shape) return fit;
  const bool is_firm = shape.kind == PayloadShape::Kind::mesh || shape.kind == PayloadShape::Kind::points;
  const BodyParameters reference = carried(shape, fit.answer.x);
  const double loose_cost = fit.answer.residual_cost;
  std::optional<double> rows_alike;
  convex.certifies = true;
  convex.weight =
      options.metric_weight.value_or((is_firm ? kFirmSpread : kSpread) / data.rows_worth_one / sums.num_rows);
  for (;; convex.weight /= kLoosen) {
    HEFT_TRY(second, solve_convex(sums, reference, convex));
    fit.answer = std::move(second);
    fit.weight = convex.weight;
    if (options.metric_weight || convex.weight / kLoosen < kFirstWeight) return fit;
    // a shape that costs more than chance can is held less firmly
    const double price = sums.num_rows * (fit.answer.residual_cost - loose_cost);
    if (price < kChance * data.at_least_alike) return fit;
    if (!rows_alike) rows_alike = alike();
    if (price < kChance * *rows_alike) return fit;
  }
}

Result<Done> fit_twice(const PayloadOptions& options, const PayloadShape& shape,
                       const std::function<double()>& alike, AutomaticFit& fit) {
  HEFT_TRY(mass, mass_of_log(fit.sums, options));
  HEFT_TRY(found, fit_about_shape({.sums = weighted(fit.sums, inverse_squares(fit.data.rms)),
                                   .mass = mass,
                                   .com = com_of(fit.data.x),
                                   .at_least_alike = fit.filter_samples},
                                  options, shape, alike));
  fit.answer = std::move(found.answer);
  fit.weight = found.weight;
  return Done{};
}

Result<Done> AutomaticFitter::filter(const WrenchSamples& samples) {
  fit_.lowpass_hz = 0;
  fit_.filter_samples = 1;
  if (!samples.moves || !(options_.lowpass_hz > 0)) {
    fit_.samples = samples;
    return Done{};
  }
  const double rate = filter_rate(samples);
  if (!smoother_ || rate != rate_) {
    HEFT_TRY(made, low_pass_of(options_.lowpass_hz, rate));
    smoother_ = std::move(made);
    rate_ = rate;
    filter_samples_ = filter_samples(samples, options_.lowpass_hz);
  }
  HEFT_CHECK(low_pass(*smoother_, samples, fit_.samples, scratch_));
  fit_.lowpass_hz = options_.lowpass_hz;
  fit_.filter_samples = filter_samples_;
  return Done{};
}

Result<const AutomaticFit*> AutomaticFitter::fit(const WrenchSamples& samples, const PayloadShape& shape) {
  HEFT_CHECK(filter(samples));
  fit_.sums = sums_of(fit_.samples, options_.bias);
  HEFT_TRY(data, least_squares_of(fit_.sums));
  fit_.data = std::move(data);
  HEFT_CHECK(fit_twice(
      options_, shape, [&] { return correlation_samples(fit_, options_.bias); }, fit_));
  return &fit_;
}

}  // namespace heft::payload
