// A share of the samples, small enough to ask many questions of: stretches of consecutive samples,
// evenly spread over the logs.
#pragma once

#include <vector>

#include "heft/model/samples.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// Stretches of at most kStretch consecutive samples each.
struct Excerpt {
  static constexpr Eigen::Index kStretch = 500;

  std::vector<Samples> stretches;

  Eigen::Index num_samples() const;
};

/// Takes every k-th stretch of a stream, k doubling whenever they become more than `max_samples`.
class ExcerptRecorder {
 public:
  explicit ExcerptRecorder(Eigen::Index max_samples) : max_samples_(max_samples) {}

  /// The samples that follow; a new segment begins a new stretch.
  void push(int segment, const Samples& block);

  /// The last, unfinished stretch included.
  Excerpt excerpt() const;

 private:
  void close();

  Eigen::Index max_samples_;
  Excerpt excerpt_;
  Samples open_;
  int segment_ = -1;
  long long num_stretches_ = 0;  ///< that have begun
  long long keep_every_ = 1;
};

/// Between samples of a stretch; 1 of a single one [s].
double period_of(const Samples& stretch);

/// Rows `first` to `first + count` of samples; of rows that go through a filter with the motion
/// that the filter feels.
Samples rows_of(const Samples& samples, Eigen::Index first, Eigen::Index count);

}  // namespace heft
#pragma GCC visibility pop
