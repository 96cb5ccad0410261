// Sums of products of rows, sample by sample: all of them, those of a window, or with exponential
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
  /// Takes all memory. `fade`: share of the sums that is left after a sample, 1: nothing is
  /// forgotten. `window`: samples that are summed, in steps of a sixteenth; 0: all.
  RecursiveMoments(PlanPtr plan, double fade, long long window);

  /// Adds the rows of a sample; channels that are not used stay out.
  void add(const SampleRows& rows, const std::vector<char>& is_used);

  /// Moments::packed, whose size `packed` must have; returns the number of samples they count for.
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
