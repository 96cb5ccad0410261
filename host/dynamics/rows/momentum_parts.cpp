#include "momentum_parts.hpp"

namespace heft {

MomentumParts momentum_parts(const RegressorPlan& plan, const MechanicsColumns& columns,
                             const Samples& samples, ChannelRange range, int num_threads) {
  using core::MechanicsRow;
  const auto count = static_cast<std::size_t>(range.last - range.first);
  MomentumParts parts{std::vector<RowArray>(count), std::vector<RowArray>(count)};
  columns.put_channels(samples, {{MechanicsRow::momentum, 1}}, range.first, num_threads,
                       parts.momentum);
  columns.put_channels(samples,
                       {{MechanicsRow::coriolis_transpose, -1}, {MechanicsRow::gravity, 1}},
                       range.first, num_threads, parts.rest);
  for (const core::FeatureEntry& feature : plan.features) {
    if (feature.channel < range.first || feature.channel >= range.last) continue;
    const auto c = static_cast<std::size_t>(feature.channel - range.first);
    if (feature.feature == core::Feature::acceleration)
      parts.momentum[c].col(feature.column) = samples.velocity.col(feature.source);
    else
      parts.rest[c].col(feature.column) = feature_values(feature, samples);
  }
  return parts;
}

}  // namespace heft
