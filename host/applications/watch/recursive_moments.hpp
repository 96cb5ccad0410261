// Sums of products of rows, sample by sample: over all samples, over a window, or with exponential
// forgetting.
//
// Rows of the open block are multiplied by exp(k h / S) instead of fading all sums at every sample;
// when the block is closed, everything fades at once.
#pragma once

#include <vector>

#include "heft/model/regressor_plan.hpp"
#include "sample_rows.hpp"

namespace heft::watch {

class RecursiveMoments {
 public:
  /// Allocates all memory. `fade`: factor on the sums per sample; 1: no forgetting. `window`:
  /// number of samples in the sums, in steps of a sixteenth; 0: all.
  RecursiveMoments(PlanPtr plan, double fade, long long window);

  /// Adds the rows of a sample, without those of unused channels.
  void add(const SampleRows& rows, const std::vector<char>& is_used);

  /// Writes the sums to `packed`, which must have the size of Moments::packed; returns the number
  /// of samples that they count for.
  double put_sums(std::vector<double>& packed) const;

  std::size_t size() const { return open_.size(); }

  template <class Archive>
  void visit(Archive& archive) {
    archive(open_), archive(num_open_), archive(growth_), archive(open_count_), archive(oldest_),
        archive(counts_);
    for (std::vector<double>& block : closed_) archive(block);
  }

 private:
  void close_block();

  PlanPtr plan_;
  double fade_;
  long long block_;                          ///< samples
  std::vector<double> open_;                 ///< sums since the block began
  std::vector<std::vector<double>> closed_;  ///< one sum of all, or those of the window
  std::vector<double> counts_;               ///< samples of the closed blocks
  long long num_open_ = 0, oldest_ = 0;
  double growth_ = 1, open_count_ = 0;
};

}  // namespace heft::watch
