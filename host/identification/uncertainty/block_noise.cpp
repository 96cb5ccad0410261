#include "block_noise.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>

#include "linalg/factorizations.hpp"
#include "linalg/sparse_congruence.hpp"
#include "solve/wide_product.hpp"

namespace heft {

namespace {

constexpr std::ptrdiff_t kMostBlocks = 12;  ///< few and long, for noise with a long correlation
                                            ///< time
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kLeastShare = 1e-3;   ///< of a variance that must remain after the fit
constexpr double kDiffer = 0.05;       ///< p value below which halves disagree
constexpr double kLeastOfHalf = 1e-4;  ///< of the information of all blocks, for a fit of a half

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

/// Scatter of whitened scores about a fit, and the part of its directions that the fit leaves.
struct Fit {
  double scatter = 0, left = 0, num_directions = 0;

  double rows_worth_one() const { return scatter / left; }
  /// Information that the fit absorbs, relative to that which it leaves.
  double absorbed() const { return num_directions / left - 1; }
  bool can_judge() const { return left > kLeastShare * num_directions && scatter > 0; }
};

/// The pseudo-inverse of the information of blocks, without directions below kLeastOfHalf.
struct SeenInverse {
  Eigen::MatrixXd matrix;
  Eigen::Index rank;
};

SeenInverse seen_inverse(const Eigen::MatrixXd& information) {
  Eigen::MatrixXd root;  // times its transpose: the inverse
  Eigen::MatrixXd beyond = information;
  beyond.diagonal().array() -= kLeastOfHalf;
  if (Eigen::LLT<Eigen::MatrixXd>(beyond).info() == Eigen::Success) {
    // no direction is below, and a factor costs a tenth of eigenvectors
    root.setIdentity(information.rows(), information.cols());
    Eigen::LLT<Eigen::MatrixXd>(information).matrixU().solveInPlace(root);
  } else {
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(information);
    const Eigen::VectorXd& values = solver.eigenvalues();  // of all blocks: 1
    const Eigen::Index rank = (values.array() > kLeastOfHalf).count();
    root = solver.eigenvectors().rightCols(rank) *
           values.tail(rank).cwiseSqrt().cwiseInverse().asDiagonal();
  }
  const Eigen::MatrixXd transposed = root.transpose();
  return {wide_product(root.transpose(), transposed), root.cols()};
}

/// Fits some blocks on their own: U_b of each, and the columns z_b at the estimate of all blocks.
/// With I the pseudo-inverse of the sum of U_b and s_b the scores at their own fit, the scatter is
/// the sum of s_b' I s_b, and a block's part in the fit is tr(I U_b I U_b).
Fit separate_fit(std::span<const Eigen::MatrixXd> shares, const Eigen::MatrixXd& whitened) {
  Eigen::MatrixXd sum = Eigen::MatrixXd::Zero(whitened.rows(), whitened.rows());
  for (const Eigen::MatrixXd& share : shares) sum += share;
  const auto [inverse, rank] = seen_inverse(sum);
  const RowMajorMatrix by_rows = inverse;
  const Eigen::VectorXd change = inverse * whitened.rowwise().sum();
  const auto num_directions = static_cast<double>(rank);
  Fit fit{.scatter = 0, .left = num_directions, .num_directions = num_directions};
  for (std::size_t k = 0; k < shares.size(); ++k) {
    const Eigen::VectorXd score = whitened.col(static_cast<Eigen::Index>(k)) - shares[k] * change;
    fit.scatter += score.dot(inverse * score);
    const Eigen::MatrixXd absorbed = wide_product(by_rows, shares[k]);
    fit.left -= absorbed.cwiseProduct(absorbed.transpose()).sum();
  }
  return fit;
}

}  // namespace

BlockNoise::BlockNoise(const std::vector<NormalEquations>& blocks,
                       const Eigen::SparseMatrix<double>& picked, const Eigen::MatrixXd& root,
                       const Eigen::VectorXd& parameters)
    : blocks_(longer(blocks)),
      all_(blocks_.front().G),
      root_(picked * root),
      parameters_(parameters) {
  for (std::size_t k = 1; k < blocks_.size(); ++k) all_ += blocks_[k].G;
  scores_.resize(parameters.size(), std::ssize(blocks_));
  for (std::size_t k = 0; k < blocks_.size(); ++k)
    scores_.col(static_cast<Eigen::Index>(k)) = blocks_[k].b - blocks_[k].G * parameters;
  whitened_ = root_.transpose() * scores_;
  pool(picked, root);
  compare_fits();
  compare_halves();
}

void BlockNoise::pool(const Eigen::SparseMatrix<double>& picked, const Eigen::MatrixXd& root) {
  const RowMajorMatrix by_rows = root;
  for (const NormalEquations& block : blocks_) {
    const Eigen::MatrixXd of_quantities = sparse_congruence(block.G, picked);
    shares_.push_back(wide_product(by_rows, wide_product(of_quantities.transpose(), root)));
  }
  double left = static_cast<double>(root_.cols()), shared = 0, product = 0;
  for (const Eigen::MatrixXd& share : shares_) left -= share.squaredNorm();
  for (std::size_t k = 1; k < shares_.size(); ++k) {
    const auto here = static_cast<Eigen::Index>(k);
    shared += shares_[k - 1].cwiseProduct(shares_[k]).sum();
    product += whitened_.col(here - 1).dot(whitened_.col(here));
  }
  const bool can_judge = left > kLeastShare * static_cast<double>(root_.cols());
  worth_one_ = can_judge ? whitened_.squaredNorm() / left : kInfinity;
  left_ = left;
  // independent neighbors have the product -k shared, since all scores add up to zero
  if (can_judge && worth_one_ > 0) neighbors_ = 1 + 2 * (product / worth_one_ + shared) / left;
  dependence_ = std::max(1.0, neighbors_);
}

void BlockNoise::compare_fits() {
  const Eigen::Index half = whitened_.cols() / 2;
  const Fit all{.scatter = whitened_.squaredNorm(),
                .left = left_,
                .num_directions = static_cast<double>(root_.cols())};
  if (half < 2 || !all.can_judge()) return;
  const auto size = static_cast<std::size_t>(half);
  Fit halves = separate_fit(std::span(shares_).first(size), whitened_.leftCols(half));
  const Fit second = separate_fit(std::span(shares_).last(size), whitened_.rightCols(half));
  halves.scatter += second.scatter;
  halves.left += second.left;
  halves.num_directions += second.num_directions;
  if (!halves.can_judge()) return;
  SeparateFits& found = separate_fits_.emplace();
  const double ratio = all.rows_worth_one() / halves.rows_worth_one();
  // linear in the absorbed information, down to a fit that absorbs none
  const double extrapolated = 1 + (ratio - 1) * all.absorbed() / halves.absorbed();
  const double before = dependence_;
  dependence_ = std::max(1.0, neighbors_ * extrapolated);
  found.ratio = std::sqrt(ratio);
  found.widened_by = std::sqrt(std::max(1.0, dependence_ / before));
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
  found.ratio = std::sqrt(in_time / (dependence_ * sum / num_splits));
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
  return worth_one_ * dependence_ * halves_ * halves_;
}

struct BlockNoise::Information {
  Eigen::ArrayXd total, left, squares;  ///< a'G a; what the fit leaves; its squares over blocks

  explicit Information(Eigen::Index size)
      : total(Eigen::ArrayXd::Zero(size)), left(total), squares(total) {}

  void add(const Eigen::ArrayXd& own, const Eigen::ArrayXd& fitted) {
    const Eigen::ArrayXd rest = (own - fitted).max(0.0);
    total += own;
    left += rest;
    squares += rest.square();
  }
};

// With a = R m + n, a'Ga - |m|^2 = n'Gn, which is the sum of n'G_b n: without it no block sees n,
// and a'G_b a = m'U_b m, R'G_b a = U_b m.
BlockNoise::Information BlockNoise::information(const Eigen::MatrixXd& functionals) const {
  constexpr double kUnseen = 1e-10;
  const RowMajorMatrix by_rows = root_;
  const Eigen::MatrixXd seen = wide_product(all_.transpose(), functionals);
  const Eigen::MatrixXd m = wide_product(by_rows, seen);
  const Eigen::ArrayXd whole = functionals.cwiseProduct(seen).colwise().sum().transpose(),
                       within = m.colwise().squaredNorm().transpose();
  const bool is_within = ((whole - within).abs() <= kUnseen * whole).all();
  Information sums(functionals.cols());
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    const Eigen::MatrixXd& G = is_within ? shares_[b] : blocks_[b].G;
    const Eigen::MatrixXd& a = is_within ? m : functionals;
    const Eigen::MatrixXd moved = wide_product(G.transpose(), a);
    const Eigen::ArrayXd own = a.cwiseProduct(moved).colwise().sum().transpose();
    const Eigen::MatrixXd fitted = is_within ? moved : wide_product(by_rows, moved);
    sums.add(own, fitted.colwise().squaredNorm().transpose());
  }
  return sums;
}

Spread BlockNoise::spread(const Eigen::MatrixXd& functionals, Eigen::Index num_columns) const {
  const Spread first = with_mean_ratio(functionals.leftCols(functionals.cols() - num_columns));
  const Spread last = with_mean_ratio(functionals.rightCols(num_columns));
  Spread result{Eigen::VectorXd(functionals.cols()), Eigen::VectorXd(functionals.cols())};
  result.variance << first.variance, last.variance;
  result.degrees << first.degrees, last.degrees;
  return result;
}

Spread BlockNoise::with_mean_ratio(const Eigen::MatrixXd& functionals) const {
  const Eigen::Index size = functionals.cols();
  const auto most_degrees = static_cast<double>(blocks_.size() - 1);
  Spread result{Eigen::VectorXd::Zero(size), Eigen::VectorXd::Constant(size, most_degrees)};
  if (!(worth_one_ > 0)) return result;
  if (!std::isfinite(worth_one_)) {
    result.variance.setConstant(kInfinity);
    return result;
  }
  const auto [total, left, squares] = information(functionals);
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
  const double common = common_degrees(ratios, degrees, std::min(root_.cols(), std::ssize(seen)));
  result.variance(seen) = rows_worth_one() * total(seen) *
                          (degrees * ratios + common * ratios.mean()) / (degrees + common);
  result.degrees(seen) = degrees + common;
  return result;
}

}  // namespace heft
