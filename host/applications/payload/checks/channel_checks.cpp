#include "channel_checks.hpp"

#include "base/number_text.hpp"

namespace heft::payload {

namespace {

constexpr Eigen::Index kMinSamples = 100;  // fewest samples for a finding
constexpr double kClipped = 0.01;          // share of samples at the largest value of a channel
constexpr Eigen::Index kNoChance = 5;      // samples there, at least
constexpr const char* kDead = "channel-dead";
constexpr const char* kStuck = "channel-clipped";

}  // namespace

std::vector<PayloadDoubt> doubts_about_channels(const Eigen::ArrayXXd& wrench) {
  static const char* const kNames[] = {"fx", "fy", "fz", "nx", "ny", "nz"};
  std::vector<PayloadDoubt> doubts;
  if (wrench.rows() < kMinSamples) return doubts;
  for (int c = 0; c < 6; ++c) {
    const double least = wrench.col(c).minCoeff(), largest = wrench.col(c).maxCoeff();
    if (least == largest) {
      doubts.push_back({kDead, true, std::string(kNames[c]) + " never changes: the channel is dead",
                        "connect it, or check which column of the driver contains it"});
      continue;
    }
    for (const double limit : {largest, least}) {
      const Eigen::Index count = (wrench.col(c) == limit).count();
      if (count < kNoChance ||
          static_cast<double>(count) <= kClipped * static_cast<double>(wrench.rows()))
        continue;
      doubts.push_back({kStuck, true,
                        std::string(kNames[c]) + " stays at " + number_text(limit, 4) + " for " +
                            std::to_string(count) + " samples: the sensor is saturated or stuck",
                        "use a larger range, move less, or remove these samples"});
    }
  }
  return doubts;
}

bool is_about_a_channel(const PayloadDoubt& doubt) {
  return doubt.id == kDead || doubt.id == kStuck;
}

}  // namespace heft::payload
