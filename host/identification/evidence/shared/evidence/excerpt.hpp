// An excerpt of the samples, small enough for many tests: stretches of consecutive samples, evenly
// distributed over the logs.
#pragma once

#include <algorithm>
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

  /// The same for `num_rows` samples; calls part(first, count), which returns some of them, only
  /// for stretches that it keeps.
  template <class Part>
  void push(int segment, Eigen::Index num_rows, const Part& part) {
    if (segment != segment_) close();
    segment_ = segment;
    for (Eigen::Index at = 0; at < num_rows;) {
      const Eigen::Index count = std::min(Excerpt::kStretch - open_size_, num_rows - at);
      if (keeps_open()) add(part(at, count));
      open_size_ += count;
      at += count;
      if (open_size_ == Excerpt::kStretch) close();
    }
  }

  /// Returns the excerpt including the last, unfinished stretch.
  Excerpt excerpt() const;

 private:
  bool keeps_open() const { return num_stretches_ % keep_every_ == 0; }
  void add(Samples rows);
  void close();

  Eigen::Index max_samples_;
  Excerpt excerpt_;
  Samples open_;  ///< empty if it is not kept
  Eigen::Index open_size_ = 0;
  int segment_ = -1;
  long long num_stretches_ = 0;  ///< number of stretches that have ended
  long long keep_every_ = 1;
};

/// Returns the time between samples of a stretch [s]; 1 for a single sample.
double period_of(const Samples& stretch);

/// Returns rows `first` to `first + count` of samples; filtered rows include the motion within the
/// filter's reach.
Samples rows_of(const Samples& samples, Eigen::Index first, Eigen::Index count);

}  // namespace heft
#pragma GCC visibility pop
