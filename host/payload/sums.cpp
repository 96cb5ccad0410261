#include "sums.hpp"

#include <algorithm>
#include <cmath>

#include "rows.hpp"

namespace heft::payload {

namespace {

using S = WrenchSamples;
using Motion = Eigen::Array<double, 1, S::kNumMotion>;
using Wrench = Eigen::Array<double, 1, 6>;

struct Mean {
  Motion motion = Motion::Zero();
  Wrench wrench = Wrench::Zero();
};

/// Means of every group; one of zeros without biases.
std::vector<Mean> means_of(const WrenchSamples& samples, const std::vector<int>& groups, BiasKind bias) {
  const int num_groups = groups.empty() ? 0 : groups.back() + 1;
  std::vector<Mean> means(std::max(num_groups, 1));
  if (bias == BiasKind::none) return means;
  std::vector<double> counts(means.size(), 0.0);
  for (std::size_t k = 0; k < groups.size(); ++k) {
    const S::Segment& segment = samples.segments[k];
    means[groups[k]].motion += samples.motion.middleRows(segment.begin, segment.size).colwise().sum();
    means[groups[k]].wrench += samples.wrench.middleRows(segment.begin, segment.size).colwise().sum();
    counts[groups[k]] += static_cast<double>(segment.size);
  }
  for (std::size_t g = 0; g < means.size(); ++g)
    if (counts[g] > 0) means[g].motion /= counts[g], means[g].wrench /= counts[g];
  return means;
}

}  // namespace

std::vector<int> bias_groups(const WrenchSamples& samples, BiasKind bias) {
  std::vector<int> groups;
  for (const S::Segment& segment : samples.segments) {
    const bool same = !groups.empty() &&
                      (bias == BiasKind::none || (bias == BiasKind::constant &&
                                                  samples.segments[groups.size() - 1].log == segment.log));
    groups.push_back(groups.empty() ? 0 : groups.back() + (same ? 0 : 1));
  }
  return groups;
}

Sums sums_of(const WrenchSamples& samples, BiasKind bias) {
  Sums sums;
  for (int c = 0; c < 6; ++c) sums.G[c].setZero(), sums.b[c].setZero();
  const std::vector<int> groups = bias_groups(samples, bias);
  const std::vector<Mean> means = means_of(samples, groups, bias);
  if (bias != BiasKind::none) sums.num_groups = static_cast<int>(means.size());
  for (std::size_t k = 0; k < groups.size(); ++k) {
    const Mean& mean = means[groups[k]];
    const S::Segment& segment = samples.segments[k];
    for (Eigen::Index i = segment.begin; i < segment.begin + segment.size; ++i) {
      sums.regressor_norm2 += rows_of(samples.motion.row(i)).squaredNorm();
      const Motion motion = samples.motion.row(i) - mean.motion;
      const Wrench wrench = samples.wrench.row(i) - mean.wrench;
      const Rows Y = rows_of(motion);
      for (int c = 0; c < 3; ++c) {  // forces: mass and first moment
        const Eigen::Vector4d row = Y.row(c).head<4>();
        sums.G[c].topLeftCorner<4, 4>() += row * row.transpose();
        sums.b[c].head<4>() += row * wrench[c];
      }
      for (int c = 3; c < 6; ++c) {  // torques: first moment and tensor
        const Eigen::Matrix<double, 9, 1> row = Y.row(c).tail<9>();
        sums.G[c].bottomRightCorner<9, 9>() += row * row.transpose();
        sums.b[c].tail<9>() += row * wrench[c];
      }
      sums.wrench2 += wrench.square().matrix().transpose();
      sums.force_dot_u += (motion.head<3>() * wrench.head<3>()).sum();
      sums.u_dot_u += motion.head<3>().square().sum();
    }
    sums.num_samples += static_cast<double>(segment.size);
  }
  return sums;
}

NormalEquations normal_equations(const Sums& sums, const Vector6d& weights) {
  NormalEquations equations{Eigen::MatrixXd::Zero(10, 10), Eigen::VectorXd::Zero(10), 0, sums.num_rows()};
  for (int c = 0; c < 6; ++c) {
    equations.G += weights[c] * sums.G[c];
    equations.b += weights[c] * sums.b[c];
    equations.tau2 += weights[c] * sums.wrench2[c];
  }
  return equations;
}

Vector6d residual_rms(const Sums& sums, const BodyParameters& x) {
  constexpr double kLeast = 1e-13;  // of the channel's power: below, the difference of sums is rounding
  Vector6d rms;
  for (int c = 0; c < 6; ++c) {
    const double rss = x.dot(sums.G[c] * x) - 2 * sums.b[c].dot(x) + sums.wrench2[c];
    rms[c] = std::sqrt(std::max({rss, kLeast * sums.wrench2[c], 1e-300}) / sums.num_samples);
  }
  return rms;
}

Eigen::ArrayXXd biases_of(const WrenchSamples& samples, BiasKind bias, const BodyParameters& x) {
  const std::vector<Mean> means = means_of(samples, bias_groups(samples, bias), bias);
  Eigen::ArrayXXd biases(means.size(), 6);
  for (std::size_t g = 0; g < means.size(); ++g)
    biases.row(static_cast<Eigen::Index>(g)) =
        means[g].wrench - (rows_of(means[g].motion) * x).transpose().array();
  return biases;
}

Eigen::ArrayXXd residuals_of(const WrenchSamples& samples, BiasKind bias, const BodyParameters& x) {
  Eigen::ArrayXXd residuals = samples.wrench - payload_wrench(samples, x);
  const std::vector<int> groups = bias_groups(samples, bias);
  const Eigen::ArrayXXd biases = biases_of(samples, bias, x);
  for (std::size_t k = 0; k < groups.size(); ++k) {
    const S::Segment& segment = samples.segments[k];
    residuals.middleRows(segment.begin, segment.size).rowwise() -= biases.row(groups[k]);
  }
  return residuals;
}

}  // namespace heft::payload
