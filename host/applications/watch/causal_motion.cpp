#include "causal_motion.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>

namespace heft::watch {

namespace {

// one of each pair, for -3 dB at 1 rad/s
constexpr std::complex<double> kPoles[] = {{-1.370067830551441, 0.410249717493752},
                                           {-0.995208764350271, 1.257105739454664}};
constexpr double kSettled = 2;  // periods of the cutoff
// a jump exceeds the motion of robots, the smallest slip that matters, and usual second differences
constexpr double kFastest = 50;  // rad/s^2 or m/s^2
constexpr double kSlip = 0.002;  // rad or m
constexpr double kJumpOverScatter = 8;
constexpr double kScatterMemory = 200;  // samples

}  // namespace

std::vector<Biquad> bessel_lowpass(double cutoff) {
  const double K = std::tan(std::numbers::pi * cutoff);
  std::vector<Biquad> sections;
  for (const std::complex<double>& pole : kPoles) {
    const double w2 = std::norm(pole) * K * K, damping = -2 * pole.real() * K;
    const double scale = 1 / (1 + damping + w2);
    sections.push_back({.b0 = w2 * scale,
                        .b1 = 2 * w2 * scale,
                        .b2 = w2 * scale,
                        .a1 = 2 * (w2 - 1) * scale,
                        .a2 = (1 - damping + w2) * scale});
  }
  return sections;
}

double delay_samples(std::span<const Biquad> sections) {
  // of b(z) / a(z) at z = 1: b'/b - a'/a
  double delay = 0;
  for (const Biquad& s : sections)
    delay += (s.b1 + 2 * s.b2) / (s.b0 + s.b1 + s.b2) - (s.a1 + 2 * s.a2) / (1 + s.a1 + s.a2);
  return delay;
}

CausalMotion::CausalMotion(double cutoff_hz, double rate_hz, int num_coordinates, int num_channels)
    : num_coordinates_(num_coordinates),
      rate_hz_(rate_hz),
      num_settling_(static_cast<long long>(std::ceil(kSettled * rate_hz / cutoff_hz)) + 2),
      sections_(bessel_lowpass(cutoff_hz / rate_hz)) {
  delay_s_ = (delay_samples(sections_) + 1) / rate_hz;
  const auto size = static_cast<std::size_t>(num_coordinates + num_channels);
  for (std::vector<double>* values : {&before_, &middle_, &newest_}) values->assign(size, 0.0);
  for (std::vector<double>* values : {&first_, &second_})
    values->assign(size * sections_.size(), 0.0);
  for (std::vector<double>* values : {&position_, &velocity_, &acceleration_})
    values->assign(static_cast<std::size_t>(num_coordinates), 0.0);
  for (std::vector<double>* values : {&raw_, &raw_before_, &scatter_})
    values->assign(static_cast<std::size_t>(num_coordinates), 0.0);
  torque_.assign(static_cast<std::size_t>(num_channels), 0.0);
}

bool CausalMotion::has_jumped(const double* position) {
  const double least = std::max(kSlip, kFastest / (rate_hz_ * rate_hz_));
  bool jumped = false;
  for (std::size_t k = 0; k < raw_.size(); ++k) {
    const double second = position[k] - 2 * raw_[k] + raw_before_[k];
    if (num_raw_ >= 2) {
      const double most = std::max(least, kJumpOverScatter * std::sqrt(scatter_[k]));
      const double size = std::min(std::abs(second), most);
      if (size == most) jumped = true;
      // a few jumps in a short time are the encoder's steps
      scatter_[k] += (size * size - scatter_[k]) / kScatterMemory;
    }
    raw_before_[k] = raw_[k], raw_[k] = position[k];
  }
  num_raw_ = jumped ? 1 : num_raw_ + 1;
  return jumped;
}

bool CausalMotion::push(const double* position, const double* torque) {
  if (has_jumped(position)) num_seen_ = 0;
  before_.swap(middle_);
  middle_.swap(newest_);
  const auto split = static_cast<std::size_t>(num_coordinates_);
  for (std::size_t k = 0; k < newest_.size(); ++k)
    newest_[k] = k < split ? position[k] : torque[k - split];
  for (std::size_t s = 0; s < sections_.size(); ++s) {
    const Biquad& b = sections_[s];
    double* const first = first_.data() + s * newest_.size();
    double* const second = second_.data() + s * newest_.size();
    for (std::size_t k = 0; k < newest_.size(); ++k) {
      const double x = newest_[k];
      if (num_seen_ == 0) {
        second[k] = (b.b2 - b.a2) * x;
        first[k] = (b.b1 - b.a1) * x + second[k];
      }
      const double y = b.b0 * x + first[k];
      first[k] = b.b1 * x - b.a1 * y + second[k];
      second[k] = b.b2 * x - b.a2 * y;
      newest_[k] = y;
    }
  }
  ++num_seen_;
  if (num_seen_ < num_settling_) return false;
  for (std::size_t k = 0; k < split; ++k) {
    position_[k] = middle_[k];
    velocity_[k] = 0.5 * rate_hz_ * (newest_[k] - before_[k]);
    acceleration_[k] = rate_hz_ * rate_hz_ * (newest_[k] - 2 * middle_[k] + before_[k]);
  }
  for (std::size_t c = 0; c < torque_.size(); ++c) torque_[c] = middle_[split + c];
  return true;
}

}  // namespace heft::watch
