#include "residual_noise.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "base/median.hpp"
#include "linalg/symmetric_eigen.hpp"

namespace heft {

namespace {

constexpr int kBinsAnOctave = 360;
constexpr int kMinExponent = -60, kMaxExponent = 60;  ///< of two; beyond, in the outermost bins
constexpr int kNumBins = kBinsAnOctave * (kMaxExponent - kMinExponent);

std::size_t bin_of(double size) {
  const double place = (std::log2(size) - kMinExponent) * kBinsAnOctave;  // -infinity of zero
  return static_cast<std::size_t>(std::clamp(place, 0.0, kNumBins - 1.0));
}

double middle_of(std::size_t bin) {
  return std::exp2(kMinExponent + (static_cast<double>(bin) + 0.5) / kBinsAnOctave);
}

}  // namespace

ResidualNoise::ResidualNoise(int num_channels)
    : histograms_(static_cast<std::size_t>(num_channels), std::vector<std::int64_t>(kNumBins, 0)),
      products_(Eigen::MatrixXd::Zero(num_channels, num_channels)),
      signs_(products_),
      counts_(products_) {}

void ResidualNoise::push(const Samples& block, const Eigen::ArrayXXd& predicted) {
  const Eigen::ArrayXXd used = (block.weight != 0).cast<double>();
  const Eigen::ArrayXXd residuals = used * (block.torque - predicted);
  for (Eigen::Index c = 0; c < residuals.cols(); ++c)
    for (Eigen::Index i = 0; i < residuals.rows(); ++i)
      if (used(i, c) != 0)
        ++histograms_[static_cast<std::size_t>(c)][bin_of(std::abs(residuals(i, c)))];
  products_ += residuals.matrix().transpose() * residuals.matrix();
  signs_ += residuals.sign().matrix().transpose() * residuals.sign().matrix();
  counts_ += used.matrix().transpose() * used.matrix();
}

double ResidualNoise::scale_of(int channel) const {
  const std::vector<std::int64_t>& histogram = histograms_[static_cast<std::size_t>(channel)];
  const std::int64_t count = std::accumulate(histogram.begin(), histogram.end(), std::int64_t{0});
  std::int64_t below = 0;
  std::size_t bin = 0;
  while (bin < histogram.size() && 2 * (below + histogram[bin]) < count) below += histogram[bin++];
  // the lowest bin is where zeros are
  return count == 0 || bin == 0 ? 0 : kDeviationOverMad * middle_of(bin);
}

Eigen::VectorXd ResidualNoise::scale() const {
  Eigen::VectorXd scales(products_.rows());
  for (int c = 0; c < scales.size(); ++c) scales[c] = scale_of(c);
  return scales;
}

Eigen::MatrixXd ResidualNoise::covariance(bool robust) const {
  const Eigen::Index n = products_.rows();
  Eigen::VectorXd deviations(n);
  for (Eigen::Index c = 0; c < n; ++c) {
    const double classical = std::sqrt(products_(c, c) / std::max(1.0, counts_(c, c)));
    const double deviation = robust ? scale_of(static_cast<int>(c)) : classical;
    deviations[c] = deviation > 0 ? deviation : classical > 0 ? classical : 1;
  }
  Eigen::MatrixXd correlations = Eigen::MatrixXd::Identity(n, n);
  for (Eigen::Index a = 0; a < n; ++a)
    for (Eigen::Index b = 0; b < n; ++b) {
      if (a == b || !(counts_(a, b) > 0)) continue;
      correlations(a, b) = robust
                               ? std::sin(0.5 * std::numbers::pi * signs_(a, b) / counts_(a, b))
                               : products_(a, b) / counts_(a, b) / (deviations[a] * deviations[b]);
    }
  const double least = SymmetricEigen<Eigen::Dynamic>(correlations).eigenvalues()[0];
  if (least < kMinEigenvalue) {
    const double keep = (1 - kMinEigenvalue) / (1 - least);
    correlations = keep * correlations + (1 - keep) * Eigen::MatrixXd::Identity(n, n);
  }
  return deviations.asDiagonal() * correlations * deviations.asDiagonal();
}

}  // namespace heft
