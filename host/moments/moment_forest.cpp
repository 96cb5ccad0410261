#include "moments/moment_forest.hpp"

#include <cstddef>

namespace heft {

namespace {

/// earlier += later; the order of the two operands is the order in time.
void merge(std::vector<double>& earlier, const std::vector<double>& later) {
  for (std::size_t i = 0; i < earlier.size(); ++i) earlier[i] += later[i];
}

}  // namespace

void MomentForest::push(const double* packed) {
  std::vector<double> carry(packed, packed + packed_size_);
  std::size_t level = 0;
  for (; (num_chunks_ >> level) & 1; ++level) {
    merge(trees_[level], carry);
    carry.swap(trees_[level]);
  }
  if (level == trees_.size()) trees_.emplace_back();
  trees_[level] = std::move(carry);
  ++num_chunks_;
}

void MomentForest::add_to(std::vector<double>& total) const {
  std::vector<double> sum;
  for (std::size_t level = 0; level < trees_.size(); ++level) {
    if (!((num_chunks_ >> level) & 1)) continue;
    if (sum.empty()) {
      sum = trees_[level];
    } else {
      std::vector<double> larger = trees_[level];
      merge(larger, sum);
      sum = std::move(larger);
    }
  }
  if (!sum.empty()) merge(total, sum);
}

}  // namespace heft
