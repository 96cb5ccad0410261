#include "jump_ratios.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>

#include "evidence.hpp"

namespace heft::watch {

namespace {

constexpr double kLeastPivot = 1e-3;  // of 1 + A, against rounding

double dot(const double* a, const double* b, int size) {
  return Eigen::Map<const Eigen::VectorXd>(a, size).dot(Eigen::Map<const Eigen::VectorXd>(b, size));
}

void subtract(double weight, const double* from, std::vector<double>& sums) {
  for (std::size_t k = 0; k < sums.size(); ++k) sums[k] -= weight * from[k];
}

}  // namespace

JumpRatios::JumpRatios(const Hypotheses& hypotheses)
    : hypotheses_(hypotheses), size_(hypotheses.num_signatures()) {
  const auto size = static_cast<std::size_t>(size_);
  products_.assign(static_cast<std::size_t>(triangle(size_)), 0.0);
  factor_ = products_;
  all_.assign(products_.size() + size, 0.0);
  window_ = all_;
  prior_.assign(size, 0.0);
  right_ = beta_ = prior_;
  columns_.assign(size * kMostSizes, 0.0);
  jumps_.assign(static_cast<std::size_t>(hypotheses.num_sums()), 0.0);
}

void JumpRatios::begin(const BlockSums& sums, const std::vector<double>& prior) {
  std::copy(sums.everything(), sums.everything() + sums.stride(), all_.begin());
  std::copy(prior.begin(), prior.end(), prior_.begin());
  shift_ = 0;
  num_summed_ = -1;
}

void JumpRatios::choose(int num_blocks) {
  if (num_summed_ < 0 || num_blocks < num_summed_) {
    std::fill(window_.begin(), window_.end(), 0.0);
    num_summed_ = 0, sum_of_squares_ = 0, count_ = 0;
  }
  num_blocks_ = num_blocks;
  stage_ = kWindow, at_ = 0, hypothesis_ = 0;
}

bool JumpRatios::advance(const BlockSums& sums) {
  switch (stage_) {
    case kWindow:
      if (num_summed_ < num_blocks_)
        add_block(sums);
      else
        stage_ = kCopy;
      break;
    case kCopy:
      copy(sums);
      stage_ = kFactor, at_ = 0;
      break;
    case kFactor:
      factor_row(at_);
      if (++at_ == size_) stage_ = kSolve;
      break;
    case kSolve:
      solve();
      stage_ = num_blocks_ > 0 ? kColumns : kDone;
      at_ = 0;
      break;
    case kColumns: {
      const Hypothesis& h = hypotheses_.list()[static_cast<std::size_t>(hypothesis_)];
      put_column(h.first + at_, columns_.data() + at_ * size_);
      if (++at_ < h.num_sizes) break;
      finish_hypothesis(h);
      at_ = 0;
      if (++hypothesis_ == static_cast<int>(hypotheses_.list().size())) stage_ = kDone;
      break;
    }
    default:
      break;
  }
  return stage_ == kDone;
}

void JumpRatios::add_block(const BlockSums& sums) {
  const int age = ++num_summed_ + shift_;
  const double* const block = sums.block(age);
  for (std::size_t k = 0; k < window_.size(); ++k) window_[k] += block[k];
  sum_of_squares_ += sums.squares(age), count_ += sums.count(age);
}

void JumpRatios::copy(const BlockSums& sums) {
  std::copy(all_.begin(), all_.begin() + static_cast<std::ptrdiff_t>(products_.size()),
            products_.begin());
  std::copy(all_.begin() + static_cast<std::ptrdiff_t>(products_.size()), all_.end(),
            right_.begin());
  for (int k = 0; num_blocks_ > 0 && k < kOnsetBlocks; ++k) {
    const double weight = std::pow(sums.fade(), num_blocks_ + k);
    const double* const onset = sums.block(onset_age() + k);
    subtract(weight, onset, products_);
    subtract(weight, onset + products_.size(), right_);
  }
  for (std::size_t k = 0; k < right_.size(); ++k) right_[k] += prior_[k];
}

/// Row i of the factor from the rows before it.
void JumpRatios::factor_row(int i) {
  double* const row = factor_.data() + triangle(i);
  const double* const from = products_.data() + triangle(i);
  for (int j = 0; j < i; ++j) {
    const double* const other = factor_.data() + triangle(j);
    row[j] = (from[j] - dot(row, other, j)) / other[j];
  }
  row[i] = std::sqrt(std::max(1 + from[i] - dot(row, row, i), kLeastPivot));
}

void JumpRatios::forward(double* x) const {
  for (int i = 0; i < size_; ++i) {
    const double* const row = factor_.data() + triangle(i);
    x[i] = (x[i] - dot(row, x, i)) / row[i];
  }
}

void JumpRatios::backward(double* x) const {
  for (int i = size_ - 1; i >= 0; --i) {
    const double* const row = factor_.data() + triangle(i);
    x[i] /= row[i];
    for (int k = 0; k < i; ++k) x[k] -= row[k] * x[i];
  }
}

void JumpRatios::solve() {
  beta_ = right_;
  forward(beta_.data());
  backward(beta_.data());
  subtract_beta();
}

/// Squares in the window: z'z - 2 beta'b_w + beta'A_w beta.
void JumpRatios::subtract_beta() {
  squares_ = sum_of_squares_;
  for (int i = 0; i < size_; ++i) {
    const double* const row = window_.data() + triangle(i);
    const double product =
        2 * dot(row, beta_.data(), i) + row[i] * beta_[static_cast<std::size_t>(i)];
    squares_ += beta_[static_cast<std::size_t>(i)] *
                (product - 2 * window_[products_.size() + static_cast<std::size_t>(i)]);
  }
}

double JumpRatios::window_entry(int i, int j) const {
  return window_[static_cast<std::size_t>(i >= j ? triangle(i) + j : triangle(j) + i)];
}

/// L^-1 A_w of one signature.
void JumpRatios::put_column(int signature, double* column) const {
  for (int i = 0; i < size_; ++i) column[i] = window_entry(i, signature);
  forward(column);
}

void JumpRatios::finish_hypothesis(const Hypothesis& h) {
  double* out = jumps_.data() + h.first_sum;
  for (int i = 0; i < h.num_sizes; ++i)
    for (int j = 0; j <= i; ++j)
      *out++ = window_entry(h.first + i, h.first + j) -
               dot(columns_.data() + i * size_, columns_.data() + j * size_, size_);
  for (int i = 0; i < h.num_sizes; ++i) {
    double left = window_[products_.size() + static_cast<std::size_t>(h.first + i)];
    for (int k = 0; k < size_; ++k)
      left -= window_entry(h.first + i, k) * beta_[static_cast<std::size_t>(k)];
    *out++ = left;
  }
}

const std::vector<double>& JumpRatios::jump(const Hypothesis& h, const double* size, double kept,
                                            std::vector<double>& estimates) {
  std::copy(beta_.begin(), beta_.end(), estimates.begin());
  double* const column = columns_.data();
  for (int i = 0; i < h.num_sizes; ++i) {
    put_column(h.first + i, column);
    backward(column);
    for (int k = 0; k < size_; ++k) estimates[static_cast<std::size_t>(k)] -= size[i] * column[k];
    estimates[static_cast<std::size_t>(h.first + i)] += size[i];
  }
  forget(h);
  for (double& product : products_) product *= kept;
  return products_;
}

double JumpRatios::past_entry(int i, int j) const {
  const auto at = static_cast<std::size_t>(i >= j ? triangle(i) + j : triangle(j) + i);
  return products_[at] - window_[at] + (i == j ? 1 : 0);
}

/// With P = M^-1 before the window, (P + E E')^-1 = M - M E (1 + E'M E)^-1 E'M.
void JumpRatios::forget(const Hypothesis& h) {
  double sums[num_sums(kMostSizes)] = {}, *next = sums;
  for (int i = 0; i < h.num_sizes; ++i)
    for (int j = 0; j <= i; ++j) *next++ = past_entry(h.first + i, h.first + j);
  for (int i = 0; i < h.num_sizes; ++i)
    for (int k = 0; k < size_; ++k)
      columns_[static_cast<std::size_t>(i * size_ + k)] = past_entry(k, h.first + i);
  for (int k = 0; k < size_; ++k) {
    double step[kMostSizes] = {};
    for (int i = 0; i < h.num_sizes; ++i)
      next[i] = columns_[static_cast<std::size_t>(i * size_ + k)];
    newton_step(sums, h.num_sizes, 1, step);
    for (int j = 0; j <= k; ++j)
      for (int i = 0; i < h.num_sizes; ++i)
        products_[static_cast<std::size_t>(triangle(k) + j)] -=
            step[i] * columns_[static_cast<std::size_t>(i * size_ + j)];
  }
}

}  // namespace heft::watch
