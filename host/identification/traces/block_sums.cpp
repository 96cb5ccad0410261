#include "traces/block_sums.hpp"

#include <cmath>

namespace heft {

namespace {

void add_pairs(std::vector<double>& sums) {
  const std::size_t half = (sums.size() + 1) / 2;
  for (std::size_t k = 0; k < half; ++k)
    sums[k] = sums[2 * k] + (2 * k + 1 < sums.size() ? sums[2 * k + 1] : 0);
  sums.resize(half);
}

}  // namespace

void BlockSums::push(const Eigen::ArrayXXd& errors, const Eigen::ArrayXXd& torques) {
  for (Eigen::Index i = 0; i < errors.rows(); ++i, ++num_samples_) {
    if (num_samples_ == kMaxBlocks * blocks_.samples_per_block) {
      add_pairs(blocks_.error2);
      add_pairs(blocks_.torque2);
      blocks_.samples_per_block *= 2;
    }
    if (num_samples_ % blocks_.samples_per_block == 0) {
      blocks_.error2.push_back(0);
      blocks_.torque2.push_back(0);
    }
    for (Eigen::Index c = 0; c < errors.cols(); ++c) {
      if (std::isnan(errors(i, c))) continue;
      blocks_.error2.back() += errors(i, c) * errors(i, c);
      blocks_.torque2.back() += torques(i, c) * torques(i, c);
    }
  }
}

}  // namespace heft
