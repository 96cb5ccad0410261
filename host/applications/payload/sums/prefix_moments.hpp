// Moments of any stretch of samples, from prefix sums.
#pragma once

#include <algorithm>
#include <vector>

#include "offsets.hpp"

namespace heft::payload {

/// Prefix sums of samples 0, .., at - 1 at equally spaced positions; differences give any stretch
/// between them.
class PrefixMoments {
 public:
  PrefixMoments(const WrenchSamples& samples, Eigen::Index step) : step_(step) {
    for (Eigen::Index at = 0; at < samples.size(); at += step_) {
      const Eigen::Index size = std::min(step_, samples.size() - at);
      StretchMoments next = sums_.empty() ? StretchMoments() : sums_.back();
      next += moments_of(samples, at, size);
      sums_.push_back(next);
    }
  }

  int size() const { return static_cast<int>(sums_.size()); }
  Eigen::Index step() const { return step_; }

  /// Moments of blocks from, .., to - 1.
  StretchMoments between(int from, int to) const {
    StretchMoments moments = sums_[static_cast<std::size_t>(to - 1)];
    if (from > 0) moments -= sums_[static_cast<std::size_t>(from - 1)];
    return moments;
  }

 private:
  Eigen::Index step_;
  std::vector<StretchMoments> sums_;
};

}  // namespace heft::payload
