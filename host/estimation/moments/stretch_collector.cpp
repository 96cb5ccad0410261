#include "stretch_collector.hpp"

#include <algorithm>

#include "add_numbers.hpp"
#include "chunks.hpp"

namespace heft {

namespace {

constexpr std::size_t kMinStretches = 64;
constexpr double kMemory = 64e6;  ///< bytes to stay within, if the fewest do

void add_stretch(MomentStretch& into, const MomentStretch& from) {
  // of one plan, so that adding cannot fail
  (void)add(into.moments, from.moments).ok();
  into.num_samples += from.num_samples;
}

}  // namespace

std::size_t StretchCollector::limit(int most_stretches, std::size_t packed_size) {
  std::size_t most = static_cast<std::size_t>(std::max(2, most_stretches)) / 2 * 2;
  while (most > kMinStretches && static_cast<double>(most * packed_size * sizeof(double)) > kMemory)
    most = most / 4 * 2;
  return most;
}

StretchCollector::StretchCollector(Moments zero, int most_stretches)
    : zero_(std::move(zero)), limit_(limit(most_stretches, zero_.packed.size())) {}

StretchCollector::StretchCollector(Moments zero, int most_stretches,
                                   std::vector<MomentStretch> stretches, std::int64_t length)
    : StretchCollector(std::move(zero), most_stretches) {
  stretches_ = std::move(stretches);
  length_ = length;
}

void StretchCollector::push(const double* packed, const std::vector<double>& num_rows,
                            std::int64_t num_samples) {
  if (length_ == 0) length_ = kSmallestChunk;
  if (stretches_.empty() || stretches_.back().num_samples >= length_) {
    if (stretches_.size() == limit_) merge_neighbors();
    stretches_.push_back(
        {{.plan = zero_.plan, .summed_weights = zero_.summed_weights}, num_samples});
    stretches_.back().moments.packed.assign(packed, packed + zero_.packed.size());
    stretches_.back().moments.num_rows = num_rows;
    return;
  }
  MomentStretch& open = stretches_.back();
  add_numbers(packed, open.moments.packed);
  for (std::size_t c = 0; c < num_rows.size(); ++c) open.moments.num_rows[c] += num_rows[c];
  open.num_samples += num_samples;
}

std::vector<MomentStretch> StretchCollector::finish() {
  return std::move(stretches_);
}

void StretchCollector::merge_neighbors() {
  for (std::size_t i = 0; i < limit_ / 2; ++i) {
    if (i > 0) stretches_[i] = std::move(stretches_[2 * i]);
    add_stretch(stretches_[i], stretches_[2 * i + 1]);
  }
  stretches_.resize(limit_ / 2);
  length_ *= 2;
}

}  // namespace heft
