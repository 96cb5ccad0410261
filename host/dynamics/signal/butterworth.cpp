#include "heft/signal/smoother.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/widest.hpp"
#include "heft/core/conditioning.hpp"
#include "kernels.hpp"

namespace heft {

namespace {

// Damping of pole pair k of the analogue prototype, counted from the slowest.
double damping(int order, int k) {
  return std::sin(std::numbers::pi * (2 * k + 1) / (2.0 * order));
}

double prewarped(double cutoff) {
  return std::tan(std::numbers::pi * cutoff);
}

const signal::Kernels& kernels() {
  static const signal::Kernels& chosen =
      widest(signal::kAvx512Kernels, signal::kAvx2Kernels, signal::kBaselineKernels);
  return chosen;
}

// Forward and backward over `n` values of all lanes, with room for `padding` more before and behind
// them.
void filter_padded(const std::vector<Biquad>& sections, int padding, double* x, Eigen::Index n) {
  Eigen::Map<Eigen::Array<double, kSignalLanes, Eigen::Dynamic>> signal(x, kSignalLanes,
                                                                        n + 2 * padding);
  const Eigen::Index first = padding, last = padding + n - 1, end = signal.cols() - 1;
  for (Eigen::Index k = 1; k <= padding; ++k)
    for (Eigen::Index lane = 0; lane < kSignalLanes; ++lane) {
      signal(lane, first - k) = core::reflected(signal(lane, first), signal(lane, first + k));
      signal(lane, last + k) = core::reflected(signal(lane, last), signal(lane, last - k));
    }
  const auto num_sections = static_cast<int>(sections.size());
  kernels().run(sections.data(), num_sections, x, signal.cols(), 1);
  kernels().run(sections.data(), num_sections, x + end * kSignalLanes, signal.cols(), -1);
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
  // the pole s = -zeta K +- i K sqrt(1 - zeta^2) in z = (1 + s) / (1 - s), K in units of the warped
  // axis
  const double radius = order == 1
                            ? std::abs((1 - K) / (1 + K))
                            : std::sqrt((1 - 2 * zeta * K + K * K) / (1 + 2 * zeta * K + K * K));
  return radius > 0 ? static_cast<int>(std::ceil(36 / -std::log(radius))) + 1 : 1;
}

int padding_samples(int order) {
  return 3 * (order + 1);
}

void filter_forward_backward(const std::vector<Biquad>& sections, int padding,
                             Eigen::Ref<Eigen::ArrayXd> signal, Eigen::ArrayXd& scratch) {
  const Eigen::Index n = signal.size(), total = n + 2 * padding;
  if (scratch.size() < kSignalLanes * total) scratch.resize(kSignalLanes * total);
  Eigen::Map<Eigen::Array<double, kSignalLanes, Eigen::Dynamic>> lanes(scratch.data(), kSignalLanes,
                                                                       total);
  lanes.setZero();
  lanes.row(0).segment(padding, n) = signal.transpose();
  filter_padded(sections, padding, scratch.data(), n);
  signal = lanes.row(0).segment(padding, n).transpose();
}

void filter_forward_backward(const std::vector<Biquad>& sections, int padding,
                             Eigen::ArrayXXd& padded) {
  filter_padded(sections, padding, padded.data(), padded.cols() - 2 * padding);
}

void filter_columns_forward_backward(const std::vector<Biquad>& sections, int padding,
                                     const Eigen::Ref<const Eigen::ArrayXXd>& columns,
                                     Eigen::Ref<Eigen::ArrayXXd> filtered,
                                     Eigen::ArrayXXd& scratch) {
  const Eigen::Index n = columns.rows();
  if (scratch.rows() != kSignalLanes || scratch.cols() < n + 2 * padding)
    scratch.resize(kSignalLanes, n + 2 * padding);
  for (Eigen::Index first = 0; first < columns.cols(); first += kSignalLanes) {
    const Eigen::Index count = std::min<Eigen::Index>(kSignalLanes, columns.cols() - first);
    auto signals = scratch.block(0, padding, count, n);
    signals = columns.middleCols(first, count).transpose();
    scratch.block(count, padding, kSignalLanes - count, n).setZero();
    filter_padded(sections, padding, scratch.data(), n);
    filtered.middleCols(first, count) = signals.transpose();
  }
}

}  // namespace heft
