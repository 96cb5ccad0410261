#include "projectors.hpp"

#include <algorithm>
#include <set>

#include "base/widest.hpp"
#include "projection_kernels.hpp"

namespace heft {

namespace {

const projection::Kernels& kernels() {
  static const projection::Kernels& chosen =
      widest(projection::kAvx512Kernels, projection::kAvx2Kernels, projection::kBaselineKernels);
  return chosen;
}

}  // namespace

std::vector<int> affected_channels(const UnknownWrenches& wrenches) {
  std::set<int> channels;
  for (const UnknownDirection& direction : wrenches.directions)
    channels.insert(direction.channels.begin(), direction.channels.end());
  return {channels.begin(), channels.end()};
}

Projectors::Projectors(const UnknownWrenches& wrenches, const std::vector<bool>& used)
    : wrenches_(wrenches), place_(static_cast<std::size_t>(wrenches.noise.size()), -1) {
  for (const int c : affected_channels(wrenches)) {
    if (!used.empty() && !used[static_cast<std::size_t>(c)]) continue;
    place_[static_cast<std::size_t>(c)] = static_cast<int>(channels_.size());
    channels_.push_back(c);
    noise_.push_back(wrenches.noise[c]);
  }
  projectors_.resize(static_cast<std::size_t>(kMostSamples * size()));
  acts_.resize(kMostSamples);
}

void Projectors::set(const Samples& samples, Eigen::Index first, Eigen::Index count) {
  static_assert(kMostSamples % kSignalLanes == 0);
  num_samples_ = count;
  std::fill(acts_.begin(), acts_.end(), 0);
  std::vector<double> directions(wrenches_.directions.size() * channels_.size() * kSignalLanes);
  for (Eigen::Index i = 0; i < count; i += kSignalLanes)
    make(samples, first + i, std::min<Eigen::Index>(kSignalLanes, count - i), i, directions.data());
}

void Projectors::make(const Samples& samples, Eigen::Index first, Eigen::Index count,
                      Eigen::Index to, double* directions) {
  const std::ptrdiff_t num_channels = std::ssize(channels_);
  int num_directions = 0;
  for (const UnknownDirection& direction : wrenches_.directions) {
    double* const begin = directions + num_directions * num_channels * kSignalLanes;
    std::fill(begin, begin + num_channels * kSignalLanes, 0.0);
    bool any = false;
    for (std::size_t k = 0; k < direction.channels.size(); ++k) {
      const int place = place_[static_cast<std::size_t>(direction.channels[k])];
      if (place < 0) continue;
      const Eigen::Index signal = direction.first_signal + static_cast<Eigen::Index>(k);
      for (Eigen::Index i = 0; i < count; ++i) {
        const double value = samples.signal(first + i, signal);
        if (value == 0) continue;
        begin[place * kSignalLanes + i] = value / noise_[static_cast<std::size_t>(place)];
        acts_[static_cast<std::size_t>(to + i)] = 1;
        any = true;
      }
    }
    num_directions += any ? 1 : 0;
  }
  if (num_directions > 0)
    kernels().make_projectors(directions, static_cast<int>(num_channels), num_directions,
                              noise_.data(), projectors_.data() + to * size());
}

void Projectors::project(const std::vector<int>& sources, const double* given, double* projected,
                         std::ptrdiff_t stride) const {
  kernels().project({projectors_.data(), acts_.data(), static_cast<int>(channels_.size()),
                     num_samples_, given, kMostSamples * kSignalLanes, sources.data(),
                     static_cast<int>(sources.size()), projected, stride});
}

}  // namespace heft
