#include "momentum_parts.hpp"

#include "heft/core/regressor.hpp"

namespace heft {

namespace {

using core::MechanicsRow;

/// Adds extra columns of the channels of a range: to `rates` what is to be differentiated, to `rows` the others.
void add_features(const RegressorPlan& plan, const Samples& samples, ChannelRange range,
                  std::vector<RowArray>& rates, std::vector<RowArray>& rows) {
  for (const core::FeatureEntry& feature : plan.features) {
    if (feature.channel < range.first || feature.channel >= range.last) continue;
    const std::size_t c = static_cast<std::size_t>(feature.channel - range.first);
    if (feature.feature == core::Feature::acceleration) {
      rates[c].col(feature.column) = samples.velocity.col(feature.source);
      continue;
    }
    for (Eigen::Index i = 0; i < samples.size(); ++i)
      rows[c](i, feature.column) = core::feature_value<double>(feature, SampleAt{samples, i});
  }
}

}  // namespace

MomentumParts momentum_parts(const RegressorPlan& plan, const MechanicsColumns& columns,
                             const Samples& samples, ChannelRange range) {
  const auto count = static_cast<std::size_t>(range.last - range.first);
  MomentumParts parts{std::vector<RowArray>(count), std::vector<RowArray>(count)};
  columns.put_channels(samples, {{MechanicsRow::momentum, 1}}, range.first, parts.momentum);
  columns.put_channels(samples, {{MechanicsRow::coriolis_transpose, -1}, {MechanicsRow::gravity, 1}},
                       range.first, parts.rest);
  add_features(plan, samples, range, parts.momentum, parts.rest);
  return parts;
}

}  // namespace heft
