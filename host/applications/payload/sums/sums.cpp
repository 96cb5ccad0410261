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

/// Means of every group; without biases, a single zero.
std::vector<Mean> means_of(const WrenchSamples& samples, const std::vector<int>& groups,
                           BiasKind bias) {
  const int num_groups = groups.empty() ? 0 : groups.back() + 1;
  std::vector<Mean> means(std::max(num_groups, 1));
  if (bias == BiasKind::none) return means;
  std::vector<double> counts(means.size(), 0.0);
  for (std::size_t k = 0; k < groups.size(); ++k) {
    const WrenchSamples::Segment& segment = samples.segments[k];
    means[groups[k]].motion +=
        samples.motion.middleRows(segment.begin, segment.size).colwise().sum();
    means[groups[k]].wrench +=
        samples.wrench.middleRows(segment.begin, segment.size).colwise().sum();
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
    const auto* last = groups.empty() ? nullptr : &samples.segments[groups.size() - 1];
    const bool same = last && (bias == BiasKind::none ||
                               (bias != BiasKind::per_segment && last->log == segment.log &&
                                last->offset == segment.offset));
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

Eigen::MatrixXd drift_polynomials(const WrenchSamples& samples, const SampleRange& range) {
  const bool by_logged_time =
      samples.drift.by_logged_time && samples.logged_time.size() == samples.size();
  const Eigen::ArrayXd t =
      (by_logged_time ? samples.logged_time : samples.time).segment(range.begin, range.size);
  const double middle = 0.5 * (t.minCoeff() + t.maxCoeff()),
               half = std::max(0.5 * (t.maxCoeff() - t.minCoeff()), 1e-300);
  const Eigen::VectorXd scaled = ((t - middle) / half).matrix();
  const Eigen::Index count = std::min<Eigen::Index>(samples.drift.degree + 1, range.size);
  Eigen::MatrixXd Q(range.size, count);
  Q.col(0).setConstant(1 / std::sqrt(static_cast<double>(range.size)));
  Eigen::Index rank = 1;
  for (Eigen::Index k = 1; k < count; ++k) {
    Eigen::VectorXd q = scaled.cwiseProduct(Q.col(rank - 1));
    const double size = q.norm();
    for (int pass = 0; pass < 2; ++pass)
      q -= Q.leftCols(rank) * (Q.leftCols(rank).transpose() * q).eval();
    if (q.norm() > 1e-9 * size) Q.col(rank++) = q.normalized();
  }
  return Q.leftCols(rank);
}

int num_offsets(const WrenchSamples& samples, BiasKind bias) {
  Eigen::Index count = 0;
  for (const SampleRange& range : bias_ranges(samples, bias))
    count += bias == BiasKind::drift ? drift_polynomials(samples, range).cols() : 1;
  return static_cast<int>(count);
}

namespace {

/// Removes offsets that are more general than means.
Sums sums_with_drift(const WrenchSamples& samples) {
  Eigen::Matrix<double, Eigen::Dynamic, MotionMoments::kSize> rows(samples.size(),
                                                                   MotionMoments::kSize);
  rows << samples.motion.matrix(), samples.wrench.matrix();
  MotionMoments about_zero, about_drift;
  about_zero.products.noalias() = rows.transpose() * rows;
  remove_offsets(samples, BiasKind::drift, rows);
  about_drift.products.noalias() = rows.transpose() * rows;
  about_drift.count = static_cast<double>(samples.size());
  Sums sums;
  sums.num_offsets = num_offsets(samples, BiasKind::drift);
  add_moments(about_drift, sums);
  sums.regressor_norm2 = regressor_norm2(about_zero);
  return sums;
}

}  // namespace

Sums sums_of(const WrenchSamples& samples, BiasKind bias) {
  if (bias == BiasKind::drift) return sums_with_drift(samples);
  Sums sums;
  const std::vector<int> groups = bias_groups(samples, bias);
  const std::vector<Mean> means = means_of(samples, groups, bias);
  if (bias != BiasKind::none) sums.num_offsets = static_cast<int>(means.size());
  Eigen::Matrix<double, Eigen::Dynamic, MotionMoments::kSize> rows;
  MotionMoments about_means, about_zero;
  for (std::size_t k = 0; k < groups.size(); ++k) {
    const Mean& mean = means[groups[k]];
    const WrenchSamples::Segment& segment = samples.segments[k];
    rows.resize(segment.size, MotionMoments::kSize);
    rows.leftCols<WrenchSamples::kNumMotion>() =
        samples.motion.middleRows(segment.begin, segment.size).rowwise() - mean.motion;
    rows.rightCols<6>() =
        samples.wrench.middleRows(segment.begin, segment.size).rowwise() - mean.wrench;
    about_means.products.selfadjointView<Eigen::Lower>().rankUpdate(rows.transpose());
    about_means.count += static_cast<double>(segment.size);
    MotionMoments::Vector whole;  // shift of the rows
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
  constexpr double kLeast = 1e-13;  // of the channel's power: below, the difference of sums is
                                    // rounding
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

Eigen::ArrayXXd drifts_of(const WrenchSamples& samples, const BodyParameters& x) {
  const Eigen::ArrayXXd left = samples.wrench - payload_wrench(samples, x);
  const std::vector<SampleRange> ranges = bias_ranges(samples, BiasKind::drift);
  Eigen::ArrayXXd drifts(ranges.size(), 6);
  for (std::size_t k = 0; k < ranges.size(); ++k) {
    const SampleRange& range = ranges[k];
    const Eigen::MatrixXd Q = drift_polynomials(samples, range);
    const Eigen::MatrixXd along = Q.transpose() * left.middleRows(range.begin, range.size).matrix();
    drifts.row(static_cast<Eigen::Index>(k)) = ((Q.row(range.size - 1) - Q.row(0)) * along).array();
  }
  return drifts;
}

Eigen::ArrayXXd residuals_of(const WrenchSamples& samples, BiasKind bias, const BodyParameters& x) {
  Eigen::ArrayXXd residuals = samples.wrench - payload_wrench(samples, x);
  if (bias == BiasKind::drift) {
    remove_offsets(samples, bias, residuals);
    return residuals;
  }
  const std::vector<int> groups = bias_groups(samples, bias);
  const Eigen::ArrayXXd biases = biases_of(samples, bias, x);
  for (std::size_t k = 0; k < groups.size(); ++k) {
    const WrenchSamples::Segment& segment = samples.segments[k];
    residuals.middleRows(segment.begin, segment.size).rowwise() -= biases.row(groups[k]);
  }
  return residuals;
}

}  // namespace heft::payload
