#include "heft/signal/butterworth.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace heft {

namespace {

// Damping of pole pair k of the analogue prototype, counted from the slowest.
double damping(int order, int k) {
  return std::sin(std::numbers::pi * (2 * k + 1) / (2.0 * order));
}

double prewarped(double cutoff) {
  return std::tan(std::numbers::pi * cutoff);
}

// One direction, in place, the states at rest on the first value; `step` is +1 or -1. Transposed direct form II.
template <class Value>
void run(const std::vector<Biquad>& sections, Value* x, Eigen::Index n, Eigen::Index step,
         std::vector<Value>& state) {
  const Value rest = *x;
  const std::size_t num_sections = sections.size();
  state.resize(2 * num_sections);
  for (std::size_t s = 0; s < num_sections; ++s) {
    const Biquad& section = sections[s];
    state[2 * s + 1] = (section.b2 - section.a2) * rest;
    state[2 * s] = (section.b1 - section.a1) * rest + state[2 * s + 1];
  }
  for (Eigen::Index i = 0; i < n; ++i, x += step) {
    Value value = *x;
    for (std::size_t s = 0; s < num_sections; ++s) {
      const Biquad& section = sections[s];
      const Value y = section.b0 * value + state[2 * s];
      state[2 * s] = section.b1 * value - section.a1 * y + state[2 * s + 1];
      state[2 * s + 1] = section.b2 * value - section.a2 * y;
      value = y;
    }
    *x = value;
  }
}

// Forward and backward over `n` values with room for `padding` more before and behind them.
template <class Value>
void filter_padded(const std::vector<Biquad>& sections, int padding, Value* x, Eigen::Index n) {
  Value* const signal = x + padding;
  for (Eigen::Index k = 1; k <= padding; ++k) {
    signal[-k] = 2 * signal[0] - signal[k];
    signal[n - 1 + k] = 2 * signal[n - 1] - signal[n - 1 - k];
  }
  const Eigen::Index total = n + 2 * padding;
  std::vector<Value> state;
  run(sections, x, total, 1, state);
  run(sections, x + total - 1, total, -1, state);
}

}  // namespace

std::vector<Biquad> butterworth_lowpass(int order, double cutoff) {
  const double K = prewarped(cutoff);
  std::vector<Biquad> sections;
  if (order % 2 == 1) sections.push_back({K / (1 + K), K / (1 + K), 0, (K - 1) / (1 + K), 0});
  for (int k = 0; k < order / 2; ++k) {
    const double zeta = damping(order, k);
    const double scale = 1 / (1 + 2 * zeta * K + K * K);
    const double b = K * K * scale;
    sections.push_back({b, 2 * b, b, 2 * (K * K - 1) * scale, (1 - 2 * zeta * K + K * K) * scale});
  }
  return sections;
}

int decay_samples(int order, double cutoff) {
  const double K = prewarped(cutoff);
  const double zeta = order == 1 ? 1 : damping(order, 0);
  // the pole s = -zeta K +- i K sqrt(1 - zeta^2) in z = (1 + s) / (1 - s), K in units of the warped axis
  const double radius = order == 1 ? std::abs((1 - K) / (1 + K))
                                   : std::sqrt((1 - 2 * zeta * K + K * K) / (1 + 2 * zeta * K + K * K));
  return radius > 0 ? static_cast<int>(std::ceil(36 / -std::log(radius))) + 1 : 1;
}

int padding_samples(int order) {
  return 3 * (order + 1);
}

void filter_forward_backward(const std::vector<Biquad>& sections, int padding,
                             Eigen::Ref<Eigen::ArrayXd> signal, Eigen::ArrayXd& scratch) {
  const Eigen::Index n = signal.size();
  const Eigen::Index total = n + 2 * padding;
  if (scratch.size() < total) scratch.resize(total);
  double* const x = scratch.data();
  std::copy(signal.data(), signal.data() + n, x + padding);
  filter_padded(sections, padding, x, n);
  std::copy(x + padding, x + padding + n, signal.data());
}

void filter_forward_backward(const std::vector<Biquad>& sections, int padding, std::vector<Lanes>& signals,
                             std::vector<Lanes>& scratch) {
  const std::size_t n = signals.size();
  scratch.resize(n + 2 * static_cast<std::size_t>(padding));
  std::copy(signals.begin(), signals.end(), scratch.begin() + padding);
  filter_padded(sections, padding, scratch.data(), static_cast<Eigen::Index>(n));
  std::copy(scratch.begin() + padding, scratch.end() - padding, signals.begin());
}

void filter_columns_forward_backward(const std::vector<Biquad>& sections, int padding,
                                     const Eigen::Ref<const Eigen::ArrayXXd>& columns,
                                     Eigen::Ref<Eigen::ArrayXXd> filtered, Eigen::ArrayXXd& scratch) {
  static_assert(sizeof(Lanes) == kSignalLanes * sizeof(double));
  const Eigen::Index n = columns.rows();
  if (scratch.rows() != kSignalLanes || scratch.cols() < n + 2 * padding)
    scratch.resize(kSignalLanes, n + 2 * padding);
  for (Eigen::Index first = 0; first < columns.cols(); first += kSignalLanes) {
    const Eigen::Index count = std::min<Eigen::Index>(kSignalLanes, columns.cols() - first);
    auto signals = scratch.block(0, padding, count, n);
    signals = columns.middleCols(first, count).transpose();
    scratch.block(count, padding, kSignalLanes - count, n).setZero();
    filter_padded(sections, padding, reinterpret_cast<Lanes*>(scratch.data()), n);
    filtered.middleCols(first, count) = signals.transpose();
  }
}

}  // namespace heft
