#include "weigh_stretches.hpp"

#include <algorithm>
#include <limits>

#include "checks/changes.hpp"
#include "methods/intervals.hpp"
#include "methods/methods.hpp"
#include "payload/stretch_times.hpp"
#include "samples/filtering.hpp"
#include "sums/offsets.hpp"
#include "weigh_each.hpp"

namespace heft::payload {

namespace {

struct Part {
  StretchTimes times;
  WrenchSamples samples;
};

Result<std::vector<Part>> parts_of(const WrenchSamples& samples,
                                   const std::vector<double>& changes) {
  HEFT_TRY(stretches, stretches_between(samples.time.minCoeff(), samples.time.maxCoeff(), changes,
                                        samples.moves ? kGrasping : 0));
  std::vector<Part> parts;
  for (const StretchTimes& times : stretches) {
    const bool is_last = parts.size() + 1 == stretches.size();
    Part part{times,
              samples_between(samples, times.begin,
                              is_last ? std::numeric_limits<double>::infinity() : times.end)};
    if (part.samples.size() < 4)
      return Error{"payload.changes", times.words(parts.size()) + " has too few samples",
                   "remove one of the times, or record longer"};
    parts.push_back(std::move(part));
  }
  return parts;
}

/// Estimates the offset common to all parts, each with its own body, and its covariance.
Result<KnownTool> shared_offset(const std::vector<Part>& parts, const PayloadOptions& options) {
  std::vector<WrenchSamples> slow;
  Vector6d power = Vector6d::Zero();
  double count = 0, autocorrelation = 1;
  for (const Part& part : parts) {
    HEFT_TRY(passed, slow_samples(part.samples, options.lowpass_hz));
    slow.push_back(std::move(passed.samples));
    HEFT_TRY(fit, least_squares_of(sums_of(slow.back(), BiasKind::constant)));
    const auto size = static_cast<double>(slow.back().size());
    power += size * fit.rms.cwiseAbs2(), count += size;
    if (part.samples.moves)
      autocorrelation = std::max({autocorrelation, passed.autocorrelation,
                                  autocorrelation_samples(slow.back(), BiasKind::constant, fit.x)});
  }
  const Vector6d weights = (power / count).cwiseInverse();
  OffsetInformation all;
  for (const WrenchSamples& part : slow)
    all += StretchFit(moments_of(part, 0, part.size()), weights).information();
  const Matrix6d covariance = seen_inverse(all.K);
  if (!((covariance * all.K - Matrix6d::Identity()).norm() < 1e-3))
    return Error{"payload.changes",
                 "no stretch determines the sensor's offset: gravity hardly changes "
                 "direction in any of them",
                 "turn the sensor in at least one stretch, or calibrate it with --zero"};
  KnownTool offset{.bias = all.offset(), .has_bias = true};
  offset.covariance.bottomRightCorner<6, 6>() = autocorrelation * covariance;
  return offset;
}

/// The known tool after estimating `offset`, given `tool`.
KnownTool with_offset(const std::optional<KnownTool>& tool, const KnownTool& offset) {
  KnownTool both = tool.value_or(KnownTool{});
  both.bias += offset.bias, both.has_bias = true;
  both.covariance.bottomRightCorner<6, 6>() = offset.covariance.bottomRightCorner<6, 6>();
  both.covariance.topRightCorner<4, 6>().setZero(),
      both.covariance.bottomLeftCorner<6, 4>().setZero();
  return both;
}

/// The body of a part minus that of the first; empty if the mass decreased.
std::optional<PayloadStretch::Added> added_to(const KnownTool& first, const WrenchSamples& part,
                                              PayloadOptions options, const PayloadShape& shape) {
  const BodyParameters before =
      first.parameters -
      (options.sensor.tool ? options.sensor.tool->parameters : BodyParameters::Zero());
  options.sensor.tool = first;
  const auto found = weigh_payload(without_tool(part, {.parameters = before}), options, shape);
  if (!found || !(found->mass.low > 0)) return {};
  return PayloadStretch::Added{found->answer(), found->mass, found->com};
}

}  // namespace

Result<PayloadResult> weigh_stretches(const WrenchSamples& samples,
                                      const std::vector<double>& changes,
                                      const PayloadOptions& given, const PayloadShape& shape,
                                      const std::vector<PayloadMethod>& methods,
                                      const Progress& progress) {
  HEFT_TRY(parts, parts_of(samples, changes));
  PayloadOptions options = given;
  KnownTool offset;
  if (given.bias != BiasKind::none) {
    HEFT_TRY(shared, shared_offset(parts, given));
    offset = shared;
    options.bias = BiasKind::none;
    options.sensor.tool = with_offset(given.sensor.tool, shared);
    for (Part& part : parts) part.samples = without_tool(std::move(part.samples), shared);
  }
  std::vector<StretchTimes> times;
  for (const Part& part : parts) times.push_back(part.times);
  const auto weigh = [&](std::size_t k) {
    return weigh_payload(parts[k].samples, options, shape, methods, progress);
  };
  const auto added = [&](std::size_t k, const KnownTool& first) {
    return added_to(first, parts[k].samples, options, shape);
  };
  HEFT_TRY(last, weigh_each(times, weigh, added));
  last.biases = offset.bias.transpose().array();
  return std::move(last);
}

}  // namespace heft::payload
