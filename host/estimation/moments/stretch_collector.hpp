// Keeps the moments of consecutive stretches of a stream beside their total, in constant memory:
// when there are too many, neighbors merge and stretches are twice as long from then on.
#pragma once

#include <cstdint>
#include <vector>

#include "heft/moments/moments.hpp"

namespace heft {

class StretchCollector {
 public:
  /// `zero`: moments of no samples, of the plan and form of what will be pushed.
  StretchCollector(Moments zero, int most_stretches);
  /// Goes on from the stretches() and length() of another.
  StretchCollector(Moments zero, int most_stretches, std::vector<MomentStretch> stretches,
                   std::int64_t length);

  /// Adds the sums of the next chunk and its used rows per channel.
  void push(const double* packed, const std::vector<double>& num_rows, std::int64_t num_samples);

  /// Most stretches that it keeps of sums of this size.
  static std::size_t limit(int most_stretches, std::size_t packed_size);

  /// All that it holds.
  const std::vector<MomentStretch>& stretches() const { return stretches_; }
  std::int64_t length() const { return length_; }

  /// Closes the last stretch, however short, and hands all over.
  std::vector<MomentStretch> finish();

 private:
  void merge_neighbors();

  Moments zero_;
  std::vector<MomentStretch> stretches_;  // the last one is open
  std::int64_t length_ = 0;               // samples from which on a stretch is complete
  std::size_t limit_;                     // most stretches to keep
};

}  // namespace heft
