#include "channel_rows.hpp"

#include <algorithm>

namespace heft::excite {

namespace {

using Eigen::ArrayXXd;
using Eigen::Index;
using Eigen::MatrixXd;

/// Added to a torque's variance, so that its root is differentiable at zero [(N m)^2].
constexpr double kLeastVariance = 1e-12;

/// Samples per step: their rows fit in the L2 cache; a multiple of every group.
constexpr Index kSamplesATime = 256;

}  // namespace

ChannelRows::ChannelRows(const Information& information, int num_samples, bool with_deviations)
    : information_(information),
      plan_(*information.plan),
      kernels_(widest_kernels()),
      num_samples_(num_samples),
      num_channels_(plan_.num_channels()),
      // an odd number of groups: columns a power of two apart would compete for the same sets of
      // the caches
      stride_(((num_samples + kernels_.group - 1) / kernels_.group | 1) * kernels_.group),
      first_{0} {
  for (const std::vector<int>& columns : plan_.channel_columns) {
    first_.push_back(first_.back() + static_cast<int>(columns.size()));
    gram_.emplace_back(columns.size() * columns.size());
    reference_.emplace_back(information.reference(columns));
  }
  rows_.assign(static_cast<std::size_t>(first_.back() * stride_), 0);
  torque_ = deviation_ = ArrayXXd::Zero(stride_, num_channels_);
  // of plans that make_information has processed
  signals_ = std::move(*SignalColumns::make(plan_));
  const core::TreeView tree = plan_.view();
  for (int f = 0; f < tree.num_features; ++f)
    if (tree.features[f].feature == core::Feature::signal)
      signal_entries_.push_back(tree.features[f]);
  if (!with_deviations) return;
  spread_.assign(rows_.size(), 0);
  for (const std::vector<int>& columns : plan_.channel_columns)
    variance_.emplace_back(information.variance(columns, columns));
}

void ChannelRows::set(const ArrayXXd& position, const ArrayXXd& velocity,
                      const ArrayXXd& acceleration, bool with_products) {
  motion_ = {position.data(), velocity.data(), acceleration.data(), stride_, {}};
  for (int i = 0; i < 3; ++i) motion_.base[6 + i] = -plan_.robot.gravity[i];
  has_products_ = with_products;
  clear_products();
  ArrayXXd signals;
  if (!signals_.empty()) signals = signals_.values(position, velocity, acceleration);
  for (Index begin = 0; begin < stride_; begin += kSamplesATime) {
    const Index count = std::min(kSamplesATime, stride_ - begin);
    kernels_.rows(plan_.view(), motion_.from(begin),
                  RowColumns{rows_.data(), stride_, first_.data()}.from(begin), count);
    put_signals(signals, begin, count);
    if (begin + count == stride_)  // padding counts nowhere
      for (int i = 0; i < first_.back(); ++i)
        std::fill(rows_.begin() + i * stride_ + num_samples_, rows_.begin() + (i + 1) * stride_,
                  0.0);
    if (with_products) add_products(rows_, begin, count);
  }
}

void ChannelRows::put_signals(const ArrayXXd& values, Index begin, Index count) {
  for (const core::FeatureEntry& entry : signal_entries_)
    Eigen::Map<Eigen::ArrayXd>(rows_.data() + place(entry) * stride_ + begin, count) =
        values.col(entry.source).segment(begin, count);
}

void ChannelRows::clear_products() {
  for (std::vector<double>& gram : gram_) std::fill(gram.begin(), gram.end(), 0.0);
}

void ChannelRows::add_products(std::vector<double>& rows, Index begin, Index count) {
  for (int c = 0; c < num_channels_; ++c)
    kernels_.gram(channel(rows, c, begin), count, gram_[c].data());
}

void ChannelRows::put_torques() {
  for (int c = 0; c < num_channels_; ++c) {
    const ChannelColumns rows = channel(rows_, c);
    kernels_.weighted(rows, stride_, reference_[c].data(), torque_.col(c).data());
    if (spread_.empty()) continue;
    // sqrt(y' V y) of every row y
    const ChannelColumns spread = channel(spread_, c);
    kernels_.times(rows, stride_, variance_[c].data(), spread);
    auto deviation = deviation_.col(c);
    kernels_.product(rows, stride_, spread, deviation.data());
    deviation = (deviation + kLeastVariance).max(kLeastVariance).sqrt();
  }
}

void ChannelRows::add_information(double seconds, const std::vector<bool>& counts, MatrixXd& G) {
  all_count_ = std::find(counts.begin(), counts.end(), false) == counts.end();
  if (!all_count_) {
    counted_ = rows_;
    for (int s = 0; s < num_samples_; ++s)
      if (!counts[s])
        for (int i = 0; i < first_.back(); ++i) counted_[i * stride_ + s] = 0;
  }
  if (!has_products_ || !all_count_) {
    clear_products();
    has_products_ = false;
    for (Index begin = 0; begin < stride_; begin += kSamplesATime)
      add_products(all_count_ ? rows_ : counted_, begin, std::min(kSamplesATime, stride_ - begin));
  }
  for (int c = 0; c < num_channels_; ++c) {
    const std::vector<int>& columns = plan_.channel_columns[c];
    const double weight = information_.rate[c] * seconds / num_samples_;
    for (int i = 0; i < width(c); ++i)
      for (int j = 0; j <= i; ++j)
        G(std::max(columns[i], columns[j]), std::min(columns[i], columns[j])) +=
            weight * gram_[c][i * width(c) + j];
  }
}

void ChannelRows::add_gradient(const Bars& bars, ArrayXXd& position, ArrayXXd& velocity,
                               ArrayXXd& acceleration) {
  std::vector<MatrixXd> factors;
  for (int c = 0; c < num_channels_; ++c) {
    const std::vector<int>& columns = plan_.channel_columns[c];
    factors.emplace_back(2 * information_.rate[c] * bars.seconds / num_samples_ *
                         bars.slope(columns, columns));
  }
  // the factor between changes of deviations and of rows: V y / sd
  ArrayXXd by_spread;
  if (bars.by_deviation.size() > 0 && !spread_.empty())
    by_spread = bars.by_deviation / deviation_.max(kLeastVariance);
  const Index block = std::min(kSamplesATime, stride_);
  bars_.resize(static_cast<std::size_t>(first_.back() * block));
  std::vector<double>& counted = all_count_ ? rows_ : counted_;
  ArrayXXd by_signals;
  if (!signals_.empty()) by_signals = ArrayXXd::Zero(stride_, plan_.num_signals);
  for (Index begin = 0; begin < stride_; begin += block) {
    const Index count = std::min(block, stride_ - begin);
    for (int c = 0; c < num_channels_; ++c) {
      const ChannelColumns to = channel(bars_.data(), block, c);
      kernels_.times(channel(counted, c, begin), count, factors[c].data(), to);
      if (bars.by_torque.size() > 0)
        kernels_.add_weighted(to, count, reference_[c].data(),
                              bars.by_torque.col(c).data() + begin);
      if (by_spread.size() > 0)
        kernels_.add_product(to, count, channel(spread_, c, begin),
                             by_spread.col(c).data() + begin);
    }
    kernels_.adjoint(plan_.view(), motion_.from(begin),
                     ConstRowColumns{rows_.data(), stride_, first_.data()}.from(begin),
                     {bars_.data(), block, first_.data()}, count, position.data() + begin,
                     velocity.data() + begin, acceleration.data() + begin);
    for (const core::FeatureEntry& entry : signal_entries_)
      by_signals.col(entry.source).segment(begin, count) +=
          Eigen::Map<const Eigen::ArrayXd>(bars_.data() + place(entry) * block, count);
  }
  if (!signals_.empty()) signals_.add_gradient(by_signals, position, velocity, acceleration);
}

}  // namespace heft::excite
