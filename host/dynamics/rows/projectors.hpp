// The projections of samples, for rows and predictions at the full rate.
#pragma once

#include <vector>

#include "heft/rows/backend.hpp"
#include "rows/unknown_wrenches.hpp"

namespace heft {

/// S N S^-1 of a few samples, over the channels that wrenches affect and that are used.
class Projectors {
 public:
  static constexpr Eigen::Index kMostSamples = 64;  ///< fit the second-level cache

  Projectors(const UnknownWrenches& wrenches, const std::vector<bool>& used);

  /// Affected and used channels, in order.
  const std::vector<int>& channels() const { return channels_; }

  /// Prepares the samples first .. first + count, at most kMostSamples.
  void set(const Samples& samples, Eigen::Index first, Eigen::Index count);

  /// Returns the projector of a prepared sample, by column; null if no wrench acts.
  const double* of(Eigen::Index sample) const {
    return acts_[static_cast<std::size_t>(sample)] == 0 ? nullptr
                                                        : projectors_.data() + sample * size();
  }

  /// Projects kSignalLanes columns of the prepared samples. `given` has kMostSamples rows of
  /// kSignalLanes numbers for each of `sources`, positions in channels() in ascending order;
  /// `projected` has such rows for every channel, which begin `stride` numbers apart.
  void project(const std::vector<int>& sources, const double* given, double* projected,
               std::ptrdiff_t stride) const;

 private:
  std::ptrdiff_t size() const { return std::ssize(channels_) * std::ssize(channels_); }
  /// Makes the projectors of up to kSignalLanes samples from the one at `first` on; `directions` is
  /// memory for their directions.
  void make(const Samples& samples, Eigen::Index first, Eigen::Index count, Eigen::Index to,
            double* directions);

  const UnknownWrenches& wrenches_;
  std::vector<int> channels_;
  std::vector<int> place_;           ///< of a channel in channels_; -1: none
  std::vector<double> noise_;        ///< of channels_
  std::vector<double> projectors_;   ///< of the prepared samples
  std::vector<unsigned char> acts_;  ///< whether any wrench acts
  Eigen::Index num_samples_ = 0;
};

/// Returns the channels that any wrench affects, in order.
std::vector<int> affected_channels(const UnknownWrenches& wrenches);

}  // namespace heft
