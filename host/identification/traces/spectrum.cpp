#include "traces/spectrum.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>
#include <numbers>
#include <unsupported/Eigen/FFT>

namespace heft {

namespace {

constexpr int kWindow = 4096;         ///< samples
constexpr int kShortestWindow = 64;   ///< samples; fewer are uninformative about frequencies
constexpr int kGroupsPerOctave = 24;  ///< of the frequencies shown

}  // namespace

void Spectrum::push(int segment, const Eigen::ArrayXd& time, const Eigen::ArrayXXd& values) {
  if (pending_.empty()) return;
  if (segment != segment_)
    for (std::vector<double>& samples : pending_) samples.clear();
  segment_ = segment;
  const Eigen::Index size = time.size();
  if (size > 1) period_ = (time[size - 1] - time[0]) / static_cast<double>(size - 1);
  for (Eigen::Index i = 0; i < size;) {
    const Eigen::Index room = kWindow - static_cast<Eigen::Index>(pending_[0].size());
    const Eigen::Index count = std::min(room, size - i);
    for (std::size_t s = 0; s < pending_.size(); ++s) {
      const double* const from = values.col(static_cast<Eigen::Index>(s)).data() + i;
      pending_[s].insert(pending_[s].end(), from, from + count);
    }
    i += count;
    if (count < room) break;
    add_window(kWindow);
    for (std::vector<double>& samples : pending_)
      samples.erase(samples.begin(), samples.begin() + kWindow / 2);
  }
}

void Spectrum::finish() {
  if (num_windows_ > 0 || pending_.empty()) return;
  const auto length = std::bit_floor(pending_[0].size());
  if (length >= kShortestWindow) add_window(static_cast<int>(length));
}

void Spectrum::add_window(int length) {
  length_ = length;
  ++num_windows_;
  if (static_cast<int>(hann_.size()) != length) {
    hann_.resize(static_cast<std::size_t>(length));
    hann2_ = 0;
    for (int k = 0; k < length; ++k) {
      const double hann = 0.5 - 0.5 * std::cos(2 * std::numbers::pi * k / length);
      hann_[static_cast<std::size_t>(k)] = hann;
      hann2_ += hann * hann;
    }
  }
  static thread_local Eigen::FFT<double> fft;  // keeps its roots of unity
  fft.SetFlag(Eigen::FFT<double>::HalfSpectrum);
  std::vector<double> windowed(length);
  std::vector<std::complex<double>> transform;
  for (std::size_t s = 0; s < pending_.size(); ++s) {
    for (int k = 0; k < length; ++k) windowed[k] = hann_[k] * pending_[s][k];
    fft.fwd(transform, windowed);
    power_[s].resize(length / 2);
    for (int k = 0; k < length / 2; ++k)
      power_[s][k] += 2 * std::norm(transform[k]) * period_ / hann2_;
  }
}

/// First bins of groups of neighboring frequencies, and the end; the constant part is left out.
std::vector<int> Spectrum::groups() const {
  std::vector<int> firsts;
  const double ratio = std::exp2(1.0 / kGroupsPerOctave);
  for (int first = 1; first < length_ / 2;
       first = std::max(first + 1, static_cast<int>(std::lround(first * ratio))))
    firsts.push_back(first);
  if (!firsts.empty()) firsts.push_back(length_ / 2);
  return firsts;
}

std::vector<double> Spectrum::frequencies() const {
  std::vector<double> centers;
  const std::vector<int> firsts = groups();
  for (std::size_t g = 0; g + 1 < firsts.size(); ++g)
    centers.push_back(0.5 * (firsts[g] + firsts[g + 1] - 1) / (length_ * period_));
  return centers;
}

std::vector<double> Spectrum::density(int series) const {
  std::vector<double> densities;
  const std::vector<int> firsts = groups();
  for (std::size_t g = 0; g + 1 < firsts.size(); ++g) {
    double sum = 0;
    for (int k = firsts[g]; k < firsts[g + 1]; ++k) sum += power_[series][k];
    densities.push_back(std::sqrt(sum / (firsts[g + 1] - firsts[g]) / num_windows_));
  }
  return densities;
}

}  // namespace heft
