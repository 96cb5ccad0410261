// Collects the moments of consecutive stretches of a stream in constant memory: if there are too
// many, neighbors are merged and later stretches are twice as long.
#pragma once

#include <cstdint>
#include <vector>

#include "heft/moments/moments.hpp"

namespace heft {

class StretchCollector {
 public:
  /// `zero`: moments without samples, with the plan and form of the moments to come.
  StretchCollector(Moments zero, int most_stretches);
  /// Continues from the stretches() and length() of another collector.
  StretchCollector(Moments zero, int most_stretches, std::vector<MomentStretch> stretches,
                   std::int64_t length);

  /// Adds the sums of the next chunk and its used rows per channel.
  void push(const double* packed, const std::vector<double>& num_rows, std::int64_t num_samples);

  /// Returns the maximum number of stretches for sums of this size.
  static std::size_t limit(int most_stretches, std::size_t packed_size);

  /// Returns the sum of all stretches.
  const std::vector<MomentStretch>& stretches() const { return stretches_; }
  std::int64_t length() const { return length_; }

  /// Closes the last stretch at any length and returns all.
  std::vector<MomentStretch> finish();

 private:
  void merge_neighbors();

  Moments zero_;
  std::vector<MomentStretch> stretches_;  // the last one is open
  std::int64_t length_ = 0;               // number of samples after which a stretch is complete
  std::size_t limit_;                     // maximum number of stretches
};

}  // namespace heft
