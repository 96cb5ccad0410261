#include "sums.hpp"

#include <algorithm>
#include <cmath>

#include "motion_moments.hpp"
#include "rows.hpp"

namespace heft::payload {

namespace {

using Motion = Eigen::Array<double, 1, WrenchSamples::kNumMotion>;
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
    const WrenchSamples::Segment& segment = samples.segments[k];
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
  for (const WrenchSamples::Segment& segment : samples.segments) {
    const bool same = !groups.empty() &&
                      (bias == BiasKind::none || (bias == BiasKind::constant &&
                                                  samples.segments[groups.size() - 1].log == segment.log));
    groups.push_back(groups.empty() ? 0 : groups.back() + (same ? 0 : 1));
  }
  return groups;
}

std::vector<SampleRange> bias_ranges(const WrenchSamples& samples, BiasKind bias) {
  std::vector<SampleRange> ranges;
  if (bias == BiasKind::none) return ranges;
  const std::vector<int> groups = bias_groups(samples, bias);
  for (std::size_t k = 0; k < groups.size(); ++k) {
    const WrenchSamples::Segment& segment = samples.segments[k];
    if (k == 0 || groups[k] != groups[k - 1]) ranges.push_back({segment.begin, 0});
    ranges.back().size = segment.begin + segment.size - ranges.back().begin;
  }
  return ranges;
}

Sums sums_of(const WrenchSamples& samples, BiasKind bias) {
  Sums sums;
  const std::vector<int> groups = bias_groups(samples, bias);
  const std::vector<Mean> means = means_of(samples, groups, bias);
  if (bias != BiasKind::none) sums.num_groups = static_cast<int>(means.size());
  Eigen::Matrix<double, Eigen::Dynamic, MotionMoments::kSize> rows;
  MotionMoments about_means, about_zero;
  for (std::size_t k = 0; k < groups.size(); ++k) {
    const Mean& mean = means[groups[k]];
    const WrenchSamples::Segment& segment = samples.segments[k];
    rows.resize(segment.size, MotionMoments::kSize);
    rows.leftCols<WrenchSamples::kNumMotion>() =
        samples.motion.middleRows(segment.begin, segment.size).rowwise() - mean.motion;
    rows.rightCols<6>() = samples.wrench.middleRows(segment.begin, segment.size).rowwise() - mean.wrench;
    about_means.products.selfadjointView<Eigen::Lower>().rankUpdate(rows.transpose());
    about_means.count += static_cast<double>(segment.size);
    MotionMoments::Vector whole;  // what the rows were moved by
    whole << mean.motion.matrix().transpose(), mean.wrench.matrix().transpose();
    const MotionMoments::Vector left = rows.colwise().sum().transpose();
    about_zero.products += left * whole.transpose() + whole * left.transpose() +
                           static_cast<double>(segment.size) * whole * whole.transpose();
  }
  about_means.products.triangularView<Eigen::StrictlyUpper>() = about_means.products.transpose();
  add_moments(about_means, sums);
  about_zero.products += about_means.products;
  sums.regressor_norm2 = regressor_norm2(about_zero);
  return sums;
}

WeightedSums weighted(const Sums& sums, const Vector6d& weights) {
  WeightedSums result{.num_rows = sums.num_rows()};
  for (int c = 0; c < 6; ++c) {
    result.G += weights[c] * sums.G[c];
    result.b += weights[c] * sums.b[c];
    result.tau2 += weights[c] * sums.wrench2[c];
  }
  return result;
}

NormalEquations normal_equations(const Sums& sums, const Vector6d& weights) {
  const WeightedSums all = weighted(sums, weights);
  return {all.G, all.b, all.tau2, all.num_rows};
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
    const WrenchSamples::Segment& segment = samples.segments[k];
    residuals.middleRows(segment.begin, segment.size).rowwise() -= biases.row(groups[k]);
  }
  return residuals;
}

}  // namespace heft::payload
