#include "residual_noise.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace heft::watch {

namespace {

constexpr double kExpectedSteps = 15;  // that the identification's rms counts for
constexpr double kMostDeviations = 4;  // of an outlier
constexpr double kMostCorrelation = 0.95;
constexpr double kLeastDeviation = 0.05;  // of the identification's rms
constexpr double kMargin = 1.1;           // of deviations: tails are heavier than normal ones

}  // namespace

ResidualNoise::ResidualNoise(Eigen::VectorXd expected_rms, double fade)
    : expected_rms_(std::move(expected_rms)), fade_(fade) {
  const auto size = static_cast<std::size_t>(expected_rms_.size());
  for (auto* values : {&squares_, &products_, &counts_, &correlation_}) values->assign(size, 0.0);
  deviation_.assign(expected_rms_.begin(), expected_rms_.end());
  scale_ = deviation_;
  restart();
}

void ResidualNoise::restart() {
  for (std::size_t c = 0; c < squares_.size(); ++c) {
    const double expected = expected_rms_[static_cast<Eigen::Index>(c)];
    squares_[c] = kExpectedSteps * expected * expected;
    products_[c] = 0, counts_[c] = kExpectedSteps;
  }
}

void ResidualNoise::add(int channel, double error, double before) {
  const auto c = static_cast<std::size_t>(channel);
  const double most = kMostDeviations * deviation_[c];
  error = std::clamp(error, -most, most), before = std::clamp(before, -most, most);
  squares_[c] = fade_ * squares_[c] + error * error;
  products_[c] = fade_ * products_[c] + error * before;
  counts_[c] = fade_ * counts_[c] + 1;
}

void ResidualNoise::update() {
  for (std::size_t c = 0; c < squares_.size(); ++c) {
    deviation_[c] = std::max(std::sqrt(squares_[c] / counts_[c]),
                             kLeastDeviation * expected_rms_[static_cast<Eigen::Index>(c)]);
    correlation_[c] = std::clamp(products_[c] / squares_[c], 0.0, kMostCorrelation);
    scale_[c] = kMargin * deviation_[c] * std::sqrt(1 - correlation_[c] * correlation_[c]);
  }
}

}  // namespace heft::watch
