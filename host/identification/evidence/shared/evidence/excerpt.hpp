// An excerpt of the samples, small enough for many tests: stretches of consecutive samples, evenly
// distributed over the logs.
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

/// Keeps every k-th stretch of a stream; k doubles whenever there are more than `max_samples`
/// samples.
class ExcerptRecorder {
 public:
  explicit ExcerptRecorder(Eigen::Index max_samples) : max_samples_(max_samples) {}

  /// Adds the next samples; a new segment begins a new stretch.
  void push(int segment, const Samples& block);

  /// Returns the excerpt including the last, unfinished stretch.
  Excerpt excerpt() const;

 private:
  void close();

  Eigen::Index max_samples_;
  Excerpt excerpt_;
  Samples open_;
  int segment_ = -1;
  long long num_stretches_ = 0;  ///< number of stretches that have begun
  long long keep_every_ = 1;
};

/// Returns the time between samples of a stretch [s]; 1 for a single sample.
double period_of(const Samples& stretch);

/// Returns rows `first` to `first + count` of samples; filtered rows include the motion within the
/// filter's reach.
Samples rows_of(const Samples& samples, Eigen::Index first, Eigen::Index count);

}  // namespace heft
#pragma GCC visibility pop
