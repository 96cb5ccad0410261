#include "host/moments/stretches.hpp"

#include <algorithm>

#include "heft/core/sample_view.hpp"

namespace heft {

namespace {

constexpr std::size_t kMaxStretches = 128;

void add_stretch(MomentStretch& into, const MomentStretch& from) {
  // of one plan, so that adding cannot fail
  (void)add(into.moments, from.moments).ok();
  into.num_samples += from.num_samples;
}

}  // namespace

void StretchCollector::push(const double* packed, const std::vector<double>& num_rows,
                            std::int64_t num_samples) {
  if (length_ == 0) length_ = core::kSmallestChunk;
  if (stretches_.empty() || stretches_.back().num_samples >= length_) {
    if (stretches_.size() == kMaxStretches) merge_neighbours();
    stretches_.push_back({zero_moments(plan_), 0});
  }
  MomentStretch& open = stretches_.back();
  std::vector<double>& sums = open.moments.packed;
  std::transform(sums.begin(), sums.end(), packed, sums.begin(), std::plus<>());
  for (std::size_t c = 0; c < num_rows.size(); ++c) open.moments.num_rows[c] += num_rows[c];
  open.num_samples += num_samples;
}

std::vector<MomentStretch> StretchCollector::finish() {
  return std::move(stretches_);
}

void StretchCollector::merge_neighbours() {
  for (std::size_t i = 0; i < kMaxStretches / 2; ++i) {
    if (i > 0) stretches_[i] = std::move(stretches_[2 * i]);
    add_stretch(stretches_[i], stretches_[2 * i + 1]);
  }
  stretches_.resize(kMaxStretches / 2);
  length_ *= 2;
}

}  // namespace heft
