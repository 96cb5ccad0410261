#include "block_noise.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

namespace heft {

namespace {

constexpr std::ptrdiff_t kMostBlocks = 12;  ///< few and long, for noise with a long correlation
                                            ///< time
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kLeastShare = 1e-3;  ///< of a variance that must remain after the fit
constexpr double kDiffer = 0.05;      ///< p value below which halves disagree

/// Returns sums of neighboring blocks, each of about equally many.
std::vector<NormalEquations> longer(const std::vector<NormalEquations>& blocks) {
  const std::ptrdiff_t count = std::min(kMostBlocks, std::ssize(blocks));
  std::vector<NormalEquations> sums;
  for (std::ptrdiff_t k = 0; k < std::ssize(blocks); ++k) {
    const NormalEquations& block = blocks[static_cast<std::size_t>(k)];
    if (k * count / std::ssize(blocks) == std::ssize(sums)) {
      sums.push_back(block);
      continue;
    }
    sums.back().G += block.G;
    sums.back().b += block.b;
  }
  return sums;
}

/// Degrees of freedom that ratios have in common beyond their own, from their dispersion.
double common_degrees(const Eigen::ArrayXd& ratios, const Eigen::ArrayXd& degrees,
                      Eigen::Index rank) {
  const double mean = ratios.mean();
  const double most = static_cast<double>(rank - 1) * degrees.mean();
  if (!(mean > 0)) return most;
  const double beyond = (ratios / mean - 1).square().mean() - (2 / degrees).mean();
  return beyond > 0 ? std::min(2 / beyond, most) : most;
}

}  // namespace

BlockNoise::BlockNoise(const std::vector<NormalEquations>& blocks, Eigen::MatrixXd root,
                       const Eigen::VectorXd& parameters)
    : blocks_(longer(blocks)), root_(std::move(root)), parameters_(parameters) {
  scores_.resize(parameters.size(), std::ssize(blocks_));
  for (std::size_t k = 0; k < blocks_.size(); ++k)
    scores_.col(static_cast<Eigen::Index>(k)) = blocks_[k].b - blocks_[k].G * parameters;
  whitened_ = root_.transpose() * scores_;
  pool();
  compare_halves();
}

void BlockNoise::pool() {
  std::vector<Eigen::MatrixXd> shares;
  for (const NormalEquations& block : blocks_)
    shares.push_back(root_.transpose() * (block.G * root_));
  double left = static_cast<double>(root_.cols()), shared = 0, product = 0;
  for (const Eigen::MatrixXd& share : shares) left -= share.squaredNorm();
  for (std::size_t k = 1; k < shares.size(); ++k) {
    const auto here = static_cast<Eigen::Index>(k);
    shared += shares[k - 1].cwiseProduct(shares[k]).sum();
    product += whitened_.col(here - 1).dot(whitened_.col(here));
  }
  const bool can_judge = left > kLeastShare * static_cast<double>(root_.cols());
  worth_one_ = can_judge ? whitened_.squaredNorm() / left : kInfinity;
  // independent neighbors have the product -k shared, since all scores add up to zero
  if (can_judge && worth_one_ > 0)
    neighbors_ = std::max(1.0, 1 + 2 * (product / worth_one_ + shared) / left);
}

void BlockNoise::compare_halves() {
  const Eigen::Index half = whitened_.cols() / 2, size = 2 * half;
  if (half < 2 || !std::isfinite(worth_one_) || !(worth_one_ > 0)) return;
  Eigen::MatrixXd z(whitened_.rows(), size);  // without the middle block of an odd number
  z << whitened_.leftCols(half), whitened_.rightCols(half);
  const Eigen::MatrixXd products = z.transpose() * z;
  const auto difference2 = [&](std::uint32_t in_first) {
    Eigen::VectorXd sign(size);
    for (Eigen::Index k = 0; k < size; ++k) sign[k] = (in_first >> k) & 1U ? 1 : -1;
    return sign.dot(products * sign);
  };
  const double in_time = difference2((1U << half) - 1U);
  double sum = 0, num_splits = 0, num_larger = 0;
  // every division of the blocks into halves, once: the first block is in the first
  for (std::uint32_t split = 1; split < (1U << size); split += 2) {
    if (std::popcount(split) != half) continue;
    const double value = difference2(split);
    sum += value;
    ++num_splits;
    num_larger += value >= in_time * (1 - 1e-9) ? 1 : 0;
  }
  if (!(sum > 0)) return;
  Calibration& found = calibration_.emplace();
  found.ratio = std::sqrt(in_time / (neighbors_ * sum / num_splits));
  found.p_value = num_larger / num_splits;
  if (found.p_value < kDiffer) found.widened_by = halves_ = std::max(1.0, found.ratio);
}

double BlockNoise::disagreement(const std::vector<NormalEquations>& parts) const {
  double left = static_cast<double>(root_.cols()), square = 0;
  for (const NormalEquations& part : parts) {
    square += (root_.transpose() * (part.b - part.G * parameters_)).squaredNorm();
    left -= (root_.transpose() * (part.G * root_)).squaredNorm();
  }
  const double noise = rows_worth_one();
  if (!(left > kLeastShare * static_cast<double>(root_.cols())) || !(noise > 0)) return 1;
  return std::isfinite(noise) ? square / left / noise : 1;
}

double BlockNoise::rows_worth_one() const {
  return worth_one_ * neighbors_ * halves_ * halves_;
}

Spread BlockNoise::spread(const Eigen::MatrixXd& functionals) const {
  const Eigen::Index size = functionals.cols();
  const auto most_degrees = static_cast<double>(blocks_.size() - 1);
  Spread result{Eigen::VectorXd::Zero(size), Eigen::VectorXd::Constant(size, most_degrees)};
  if (!(worth_one_ > 0)) return result;
  if (!std::isfinite(worth_one_)) {
    result.variance.setConstant(kInfinity);
    return result;
  }
  Eigen::ArrayXd total = Eigen::ArrayXd::Zero(size), left = total, squares = total;
  for (const NormalEquations& block : blocks_) {
    const Eigen::MatrixXd moved = block.G * functionals;
    const Eigen::ArrayXd own = functionals.cwiseProduct(moved).colwise().sum().transpose();
    const Eigen::ArrayXd fitted = (root_.transpose() * moved).colwise().squaredNorm().transpose();
    const Eigen::ArrayXd rest = (own - fitted).max(0.0);
    total += own;
    left += rest;
    squares += rest.square();
  }
  const Eigen::ArrayXd scatter =
      (functionals.transpose() * scores_).rowwise().squaredNorm().array();
  std::vector<Eigen::Index> seen;
  for (Eigen::Index k = 0; k < size; ++k)
    if (total[k] > 0) seen.push_back(k);
  if (seen.empty()) return result;
  const Eigen::ArrayXd share = (left(seen) / total(seen)).max(kLeastShare);
  const Eigen::ArrayXd ratios = scatter(seen) / (worth_one_ * share * total(seen));
  const Eigen::ArrayXd degrees =
      (share * left(seen).square() / squares(seen).max(1e-300)).min(most_degrees).max(kLeastShare);
  const double common = common_degrees(ratios, degrees, root_.cols());
  result.variance(seen) = rows_worth_one() * total(seen) *
                          (degrees * ratios + common * ratios.mean()) / (degrees + common);
  result.degrees(seen) = degrees + common;
  return result;
}

}  // namespace heft
