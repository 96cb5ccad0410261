#include "moments/moment_forest.hpp"

#include <cstddef>

#include "add_numbers.hpp"

namespace heft {

namespace {

/// earlier += later; the order of the two operands is the order in time.
void merge(std::vector<double>& earlier, const std::vector<double>& later) {
  add_numbers(later.data(), earlier);
}

}  // namespace

MomentForest::MomentForest(std::int64_t packed_size, std::vector<std::vector<double>> trees)
    : packed_size_(packed_size), trees_(std::move(trees)) {
  for (std::size_t level = 0; level < trees_.size(); ++level)
    if (!trees_[level].empty()) num_chunks_ |= std::int64_t{1} << level;
}

std::vector<std::vector<double>> MomentForest::trees() const {
  std::vector<std::vector<double>> used = trees_;
  for (std::size_t level = 0; level < used.size(); ++level)
    if (!((num_chunks_ >> level) & 1)) used[level].clear();
  return used;
}

void MomentForest::push(const double* packed) {
  // a sum moves up by swapping with an empty tree, whose memory is reused
  const auto is_used = [&](std::size_t level) { return (num_chunks_ >> level) & 1; };
  if (trees_.empty()) trees_.emplace_back();
  if (!is_used(0)) {
    trees_[0].assign(packed, packed + packed_size_);
  } else {
    add_numbers(packed, trees_[0]);
    std::size_t level = 1;
    for (; is_used(level); ++level) merge(trees_[level], trees_[level - 1]);
    if (level == trees_.size()) trees_.emplace_back();
    trees_[level].swap(trees_[level - 1]);
  }
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
