#include "channel_rows.hpp"

#include <algorithm>

namespace heft::excite {

namespace {

using Eigen::ArrayXd;
using Eigen::ArrayXXd;
using Eigen::MatrixXd;

/// Added under the root of a torque's variance, so that it has a slope where nothing is uncertain [(N m)^2].
constexpr double kLeastVariance = 1e-12;

}  // namespace

ChannelRows::ChannelRows(const Information& information, int num_samples, bool with_deviations)
    : information_(information),
      plan_(*information.plan),
      kernels_(widest_kernels()),
      num_samples_(num_samples),
      num_channels_(plan_.num_channels()),
      // an odd number of groups: columns a power of two apart would compete for the same sets of the caches
      stride_(((num_samples + kernels_.group - 1) / kernels_.group | 1) * kernels_.group),
      first_{0} {
  for (const std::vector<int>& columns : plan_.channel_columns)
    first_.push_back(first_.back() + static_cast<int>(columns.size()));
  rows_.assign(static_cast<std::size_t>(first_.back() * stride_), 0);
  torque_ = deviation_ = ArrayXXd::Zero(stride_, num_channels_);
  if (!with_deviations) return;
  spread_.assign(rows_.size(), 0);
  for (const std::vector<int>& columns : plan_.channel_columns)
    variance_.emplace_back(information.variance(columns, columns));
}

void ChannelRows::set(const ArrayXXd& position, const ArrayXXd& velocity, const ArrayXXd& acceleration) {
  motion_ = {position.data(), velocity.data(), acceleration.data(), stride_, {}};
  for (int i = 0; i < 3; ++i) motion_.base[6 + i] = -plan_.robot.gravity[i];
  kernels_.rows(plan_.view(), motion_, {rows_.data(), first_.data()});
  for (int c = 0; c < num_channels_; ++c) block(rows_, c).bottomRows(stride_ - num_samples_).setZero();
}

void ChannelRows::put_torques() {
  for (int c = 0; c < num_channels_; ++c) {
    const Block rows = block(rows_, c);
    auto torque = torque_.col(c);
    torque.setZero();
    for (int i = 0; i < width(c); ++i)
      torque += information_.reference[plan_.channel_columns[c][i]] * rows.col(i);
    if (!spread_.empty()) put_deviation(c);
  }
}

/// sqrt(y' V y) of every row y of a channel.
void ChannelRows::put_deviation(int c) {
  Block rows = block(rows_, c), spread = block(spread_, c);
  kernels_.times(rows.data(), stride_, width(c), variance_[c].data(), spread.data());
  auto deviation = deviation_.col(c);
  deviation.setConstant(kLeastVariance);
  for (int i = 0; i < width(c); ++i) deviation += rows.col(i) * spread.col(i);
  deviation = deviation.max(kLeastVariance).sqrt();
}

void ChannelRows::add_information(double seconds, const std::vector<bool>& counts, MatrixXd& G) {
  all_count_ = std::find(counts.begin(), counts.end(), false) == counts.end();
  if (!all_count_) {
    counted_ = rows_;
    for (int s = 0; s < num_samples_; ++s)
      if (!counts[s])
        for (int i = 0; i < first_.back(); ++i) counted_[i * stride_ + s] = 0;
  }
  for (int c = 0; c < num_channels_; ++c) {
    const std::vector<int>& columns = plan_.channel_columns[c];
    gram_.resize(static_cast<std::size_t>(width(c)) * width(c));
    kernels_.gram(block(all_count_ ? rows_ : counted_, c).data(), stride_, width(c), gram_.data());
    const double weight = information_.rate[c] * seconds / num_samples_;
    for (int i = 0; i < width(c); ++i)
      for (int j = 0; j <= i; ++j)
        G(std::max(columns[i], columns[j]), std::min(columns[i], columns[j])) +=
            weight * gram_[i * width(c) + j];
  }
}

void ChannelRows::set_bars(double seconds, const MatrixXd& slope) {
  bars_.resize(rows_.size());
  for (int c = 0; c < num_channels_; ++c) {
    const std::vector<int>& columns = plan_.channel_columns[c];
    const double weight = 2 * information_.rate[c] * seconds / num_samples_;
    const MatrixXd factor = weight * slope(columns, columns);
    kernels_.times(block(all_count_ ? rows_ : counted_, c).data(), stride_, width(c), factor.data(),
                   block(bars_, c).data());
  }
}

void ChannelRows::add_bars(int c, const ArrayXd& by_torque, const ArrayXd& by_deviation) {
  Block bars = block(bars_, c);
  for (int i = 0; i < width(c); ++i)
    bars.col(i) += information_.reference[plan_.channel_columns[c][i]] * by_torque;
  if (by_deviation.size() == 0 || spread_.empty()) return;
  const ArrayXd by_spread = by_deviation / deviation_.col(c).max(kLeastVariance);
  const Block spread = block(spread_, c);
  for (int i = 0; i < width(c); ++i) bars.col(i) += by_spread * spread.col(i);
}

void ChannelRows::add_gradient(ArrayXXd& position, ArrayXXd& velocity, ArrayXXd& acceleration) const {
  kernels_.adjoint(plan_.view(), motion_, rows_.data(), first_.data(), bars_.data(), position.data(),
                   velocity.data(), acceleration.data());
}

}  // namespace heft::excite
