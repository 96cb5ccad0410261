#include "log_weights.hpp"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>

namespace heft {

namespace {

using Json = nlohmann::ordered_json;

enum class ChannelGroup { joints, base_forces, base_torques, sensors };

ChannelGroup group_of(const Channel& channel) {
  if (channel.coordinate >= 0) return ChannelGroup::joints;
  if (channel.is_sensor) return ChannelGroup::sensors;
  return channel.angular.isZero(0) ? ChannelGroup::base_forces : ChannelGroup::base_torques;
}

/// Geometric mean of the relative weights of a group's channels with rows; "-" without any.
std::string mean_weight(const KindWeights& kind, const RegressorPlan& plan, ChannelGroup group) {
  double log_sum = 0;
  int count = 0;
  for (Eigen::Index c = 0; c < kind.relative.size(); ++c)
    if (group_of(plan.channels[static_cast<std::size_t>(c)]) == group && kind.num_rows[c] > 0)
      log_sum += std::log(kind.relative[c]), ++count;
  return count > 0 ? fmt::format("{:.3g}", std::exp(log_sum / count)) : "-";
}

}  // namespace

nlohmann::ordered_json log_weights_json(const LogWeighting& weighting, const RegressorPlan& plan) {
  Json kinds = Json::array();
  for (const KindWeights& kind : weighting.kinds) {
    Json channels = Json::array();
    for (Eigen::Index c = 0; c < kind.relative.size(); ++c) {
      const Channel& channel = plan.channels[static_cast<std::size_t>(c)];
      channels.push_back({{"channel", channel.name},
                          {"unit", channel.unit},
                          {"rows", static_cast<long long>(kind.num_rows[c])},
                          {"noise", kind.num_rows[c] > 0 ? Json(kind.noise[c]) : Json()},
                          {"relative", kind.relative[c]}});
    }
    kinds.push_back(
        {{"kind", kind.kind}, {"logs", kind.logs}, {"weight", kind.given}, {"channels", channels}});
  }
  return {{"from", weighting.from_residuals ? "residuals" : "given"}, {"kinds", kinds}};
}

std::string log_weights_text(const LogWeighting& weighting, const RegressorPlan& plan) {
  std::string text = fmt::format(
      "{:<28} {:>10} {:>12} {:>12}  {}\n",
      weighting.from_residuals ? "weight of squared errors" : "given weight of squared errors",
      "joints", "base forces", "base torques", "logs");
  for (const KindWeights& kind : weighting.kinds) {
    std::string logs;
    for (const std::string& log : kind.logs)
      logs += (logs.empty() ? "" : ", ") + std::filesystem::path(log).filename().string();
    text += fmt::format("{:<28} {:>10} {:>12} {:>12}  {}\n", kind.kind,
                        mean_weight(kind, plan, ChannelGroup::joints),
                        mean_weight(kind, plan, ChannelGroup::base_forces),
                        mean_weight(kind, plan, ChannelGroup::base_torques), logs);
  }
  return text;
}

}  // namespace heft
