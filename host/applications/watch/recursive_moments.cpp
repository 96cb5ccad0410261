#include "recursive_moments.hpp"

#include <algorithm>
#include <cmath>

namespace heft::watch {

namespace {

constexpr int kWindowBlocks = 16;
constexpr long long kBlock = 1024;   // samples, without a window
constexpr double kMostGrowth = 1e3;  // of weights within a block

}  // namespace

RecursiveMoments::RecursiveMoments(PlanPtr plan, double fade, long long window)
    : plan_(std::move(plan)), fade_(fade), block_(kBlock) {
  if (window > 0) block_ = std::max(1LL, window / kWindowBlocks);
  if (fade < 1)
    block_ =
        std::clamp(static_cast<long long>(std::log(kMostGrowth) / -std::log(fade)), 1LL, block_);
  const auto num_closed = window > 0 ? (window + block_ - 1) / block_ : 1;
  open_.assign(static_cast<std::size_t>(plan_->packed_size), 0.0);
  closed_.assign(static_cast<std::size_t>(num_closed), open_);
  counts_.assign(static_cast<std::size_t>(num_closed), 0.0);
}

void RecursiveMoments::add(const SampleRows& rows, const std::vector<char>& is_used) {
  if (fade_ < 1) growth_ /= fade_;
  for (int c = 0; c < plan_->num_channels(); ++c) {
    if (!is_used[static_cast<std::size_t>(c)]) continue;
    const double* const row = rows.row(c);
    const int width = rows.width(c);
    double* product =
        open_.data() + plan_->channel_entries[static_cast<std::size_t>(c)].packed_offset;
    for (int i = 0; i < width; ++i) {
      const double factor = growth_ * row[i];
      for (int j = i; j < width; ++j) product[j - i] += factor * row[j];
      product += width - i;
    }
  }
  open_count_ += growth_;
  if (++num_open_ == block_) close_block();
}

void RecursiveMoments::close_block() {
  const double fade = 1 / growth_;
  const bool fades = fade_ < 1;
  if (closed_.size() > 1) {
    // the oldest leaves the window
    std::fill(closed_[static_cast<std::size_t>(oldest_)].begin(),
              closed_[static_cast<std::size_t>(oldest_)].end(), 0.0);
    counts_[static_cast<std::size_t>(oldest_)] = 0;
  }
  for (std::size_t b = 0; fades && b < closed_.size(); ++b) {
    for (double& sum : closed_[b]) sum *= fade;
    counts_[b] *= fade;
  }
  std::vector<double>& target = closed_[static_cast<std::size_t>(oldest_)];
  for (std::size_t i = 0; i < open_.size(); ++i) target[i] += fade * open_[i];
  counts_[static_cast<std::size_t>(oldest_)] += fade * open_count_;
  oldest_ = (oldest_ + 1) % static_cast<long long>(closed_.size());
  std::fill(open_.begin(), open_.end(), 0.0);
  num_open_ = 0, growth_ = 1, open_count_ = 0;
}

double RecursiveMoments::put_sums(std::vector<double>& packed) const {
  const double fade = 1 / growth_;
  for (std::size_t i = 0; i < packed.size(); ++i) packed[i] = open_[i];
  double count = open_count_;
  for (std::size_t b = 0; b < closed_.size(); ++b) {
    for (std::size_t i = 0; i < packed.size(); ++i) packed[i] += closed_[b][i];
    count += counts_[b];
  }
  if (growth_ != 1)
    for (double& sum : packed) sum *= fade;
  return fade * count;
}

}  // namespace heft::watch
