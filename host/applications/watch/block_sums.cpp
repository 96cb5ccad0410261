#include "block_sums.hpp"

#include <algorithm>

namespace heft::watch {

BlockSums::BlockSums(int num_signatures, int num_blocks, double fade)
    : size_(num_signatures), num_slots_(num_blocks + 1), fade_(fade) {
  const auto slots = static_cast<std::size_t>(num_slots_);
  total_.assign(static_cast<std::size_t>(stride()), 0.0);
  ring_.assign(slots * total_.size(), 0.0);
  begins_.assign(slots, 0.0);
  squares_ = counts_ = begins_;
  active_.reserve(static_cast<std::size_t>(size_));
}

void BlockSums::add(double z, const double* signatures, int stride) {
  active_.clear();
  for (int i = 0; i < size_; ++i)
    if (signatures[i * stride] != 0) active_.push_back(i);
  double* const products = open();
  double* const projections = products + triangle(size_);
  for (std::size_t m = 0; m < active_.size(); ++m) {
    const int i = active_[m];
    const double s = signatures[i * stride];
    double* const row = products + triangle(i);
    for (std::size_t k = 0; k <= m; ++k) row[active_[k]] += s * signatures[active_[k] * stride];
    projections[i] += s * z;
  }
  const auto at = static_cast<std::size_t>(newest_);
  squares_[at] += z * z;
  ++counts_[at];
}

void BlockSums::close(double time) {
  const double* const block = open();
  for (std::size_t k = 0; k < total_.size(); ++k) total_[k] = fade_ * total_[k] + block[k];
  newest_ = (newest_ + 1) % num_slots_;
  num_closed_ = std::min(num_closed_ + 1, num_slots_ - 1);
  clear_open(time);
}

void BlockSums::clear_open(double time) {
  std::fill(open(), open() + stride(), 0.0);
  const auto at = static_cast<std::size_t>(newest_);
  begins_[at] = time, squares_[at] = counts_[at] = 0;
}

void BlockSums::remove_since(double time) {
  double weight = 1;
  for (int age = 1; age <= num_closed_ && begin(age) >= time; ++age, weight *= fade_) {
    const double* const from = block(age);
    for (std::size_t k = 0; k < total_.size(); ++k) total_[k] -= weight * from[k];
  }
  clear_open(time);
  forget_blocks();
}

void BlockSums::restart(const std::vector<double>& products, const std::vector<double>& beta) {
  double* const projections = total_.data() + products.size();
  std::fill(projections, projections + size_, 0.0);
  for (int i = 0; i < size_; ++i)
    for (int j = 0; j <= i; ++j) {
      const auto at = static_cast<std::size_t>(triangle(i) + j);
      const double product = total_[at] = products[at];
      projections[i] += product * beta[static_cast<std::size_t>(j)];
      if (j < i) projections[j] += product * beta[static_cast<std::size_t>(i)];
    }
  forget_blocks();
}

}  // namespace heft::watch
