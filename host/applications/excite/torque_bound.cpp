#include "torque_bound.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "ball_jet.hpp"
#include "channel_rows.hpp"
// included after the functions of balls, which its templates use
#include "heft/core/regressor.hpp"
#include "linalg/factorizations.hpp"

namespace heft::excite {

namespace {

using Eigen::ArrayXXd;
using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr int kOrders = 5;  ///< of the motion that accelerations' second derivatives need: 0 to 4
constexpr double kFirstLength = 8e-3;          ///< [s] of the intervals that are halved
constexpr double kLeastLength = 1e-5;          ///< [s]
constexpr std::size_t kMaxIntervals = 400000;  ///< of one halving, after which a proof is given up
constexpr double kRounding = 1e-9;  ///< share of a bound by which it is widened, for what rounding
                                    ///< loses

struct Interval {
  double begin, length;
};

/// The Input of core/: enclosures of a motion over an interval.
class MotionBalls {
 public:
  MotionBalls(const CoefficientMotion& motion, const Eigen::Vector3d& gravity)
      : motion_(motion), gravity_(gravity), balls_(motion.num_coordinates()) {
    for (int k = 0; k < motion.num_coordinates(); ++k)
      rest_.push_back(largest_derivative(motion, k, kOrders + 1));
  }

  /// Encloses the motion by its Taylor polynomial about the middle (exact for a spline between
  /// knots) and Lagrange's remainder.
  void set(const Interval& interval) {
    const double half = 0.5 * interval.length;
    std::array<VectorXd, kOrders + 1> at;
    for (int order = 0; order <= kOrders; ++order)
      at[order] = motion_.at(interval.begin + half, order);
    for (std::size_t k = 0; k < balls_.size(); ++k)
      for (int order = 0; order < kOrders; ++order) {
        double radius = 0, factor = 1;
        for (int above = order + 1; above <= kOrders; ++above) {
          factor *= half / (above - order);
          radius += factor * std::abs(at[above][static_cast<Index>(k)]);
        }
        factor *= half / (kOrders + 1 - order);
        balls_[k][order] = {at[order][static_cast<Index>(k)], radius + factor * rest_[k]};
      }
  }

  BallJet position(int k) const { return jet(k, 0); }
  BallJet velocity(int k) const { return jet(k, 1); }
  BallJet acceleration(int k) const { return jet(k, 2); }
  BallJet base_motion(int i) const { return BallJet(i < 6 ? 0 : -gravity_[i - 6]); }
  BallJet weight(int) const { return BallJet(1); }
  BallJet torque(int) const { return BallJet(0); }
  BallJet signal(int) const { return BallJet(0); }

 private:
  BallJet jet(int k, int order) const {
    return {balls_[k][order], balls_[k][order + 1], balls_[k][order + 2]};
  }

  const CoefficientMotion& motion_;
  Eigen::Vector3d gravity_;
  std::vector<std::array<Ball, kOrders>> balls_;
  std::vector<double> rest_;  ///< of every coordinate: the largest derivative of the first order
                              ///< that is left out
};

struct JetWorkspace {
  BallJet* jets;
  BallJet& operator()(std::ptrdiff_t i) { return jets[i]; }
};

/// Takes the second derivatives of all rows.
struct SecondDerivatives {
  std::vector<VectorXd>& middle;
  std::vector<VectorXd>& radius;

  void store(int channel, int column, const BallJet& value) const {
    middle[channel][column] = value.second.m;
    radius[channel][column] = value.second.r;
  }
  struct Row {
    const SecondDerivatives& to;
    int channel, column;
    void put(int k, const BallJet& value) const { to.store(channel, column + k, value); }
  };
  Row row(const core::RowEntry& entry) const { return {*this, entry.channel, entry.column}; }
  void put_feature(const core::FeatureEntry& entry, const BallJet& value) const {
    store(entry.channel, entry.column, value);
  }
  void put_torque(int, const BallJet&) const {}
};

/// sup |tau''| + k sup |R y''| of all channels over an interval.
class Curvature {
 public:
  Curvature(const Information& information, double deviations, const CoefficientMotion& motion)
      : plan_(*information.plan),
        deviations_(deviations),
        balls_(motion, information.plan->robot.gravity),
        workspace_(static_cast<std::size_t>(core::workspace_size(plan_.view()))) {
    for (const std::vector<int>& columns : plan_.channel_columns) {
      const auto size = static_cast<Index>(columns.size());
      middle_.emplace_back(VectorXd::Zero(size));
      radius_.emplace_back(VectorXd::Zero(size));
      reference_.emplace_back(information.reference(columns));
      const MatrixXd variance = information.variance(columns, columns);
      const VectorXd scale = variance.diagonal().cwiseSqrt().cwiseMax(1e-300);
      const MatrixXd unit =
          scale.cwiseInverse().asDiagonal() * variance * scale.cwiseInverse().asDiagonal();
      root_.emplace_back(MatrixXd(unit.llt().matrixU()) * scale.asDiagonal());
      root_size_.emplace_back(root_.back().cwiseAbs());
    }
  }

  VectorXd over(const Interval& interval) {
    balls_.set(interval);
    JetWorkspace workspace{workspace_.data()};
    SecondDerivatives sink{middle_, radius_};
    core::put_regressor_rows<BallJet>(plan_.view(), balls_, workspace, sink);
    VectorXd result(plan_.num_channels());
    for (int c = 0; c < result.size(); ++c) {
      result[c] =
          std::abs(reference_[c].dot(middle_[c])) + reference_[c].cwiseAbs().dot(radius_[c]);
      if (deviations_ > 0)
        result[c] +=
            deviations_ * ((root_[c].triangularView<Eigen::Upper>() * middle_[c]).norm() +
                           (root_size_[c].triangularView<Eigen::Upper>() * radius_[c]).norm());
    }
    return result;
  }

 private:
  const RegressorPlan& plan_;
  double deviations_;
  MotionBalls balls_;
  std::vector<BallJet> workspace_;
  std::vector<VectorXd> middle_, radius_, reference_;
  std::vector<MatrixXd> root_, root_size_;  ///< R of every channel, and |R|
};

/// |tau| + k sd of all channels at both ends of intervals: one row per interval, start points
/// first.
ArrayXXd sizes_at_ends(const Information& information, double deviations,
                       const CoefficientMotion& motion, const std::vector<Interval>& intervals) {
  constexpr Index kBlock = 1024;
  const Index n = motion.num_coordinates(), count = 2 * static_cast<Index>(intervals.size());
  ArrayXXd sizes(count, n);
  for (Index begin = 0; begin < count; begin += kBlock) {
    const Index size = std::min(kBlock, count - begin);
    ChannelRows rows(information, static_cast<int>(size), deviations > 0);
    ArrayXXd values[3];
    for (int order = 0; order < 3; ++order) {
      values[order].resize(rows.stride(), n);
      for (Index i = 0; i < rows.stride(); ++i) {
        const Index at = begin + std::min(i, size - 1);
        const Interval& interval = intervals[at / 2];
        values[order].row(i) =
            motion.at(interval.begin + (at % 2) * interval.length, order).transpose();
      }
    }
    rows.set(values[0], values[1], values[2]);
    rows.put_torques();
    sizes.middleRows(begin, size) = rows.torque().topRows(size).abs();
    if (deviations > 0)
      sizes.middleRows(begin, size) += deviations * rows.deviation().topRows(size);
  }
  return sizes;
}

/// Channels with an expression column, which has no bound over an interval.
std::vector<bool> has_expression(const RegressorPlan& plan) {
  std::vector<bool> found(static_cast<std::size_t>(plan.num_channels()), false);
  for (const Column& column : plan.layout.columns)
    for (const ColumnTerm& term : column.terms)
      if (term.feature == core::Feature::signal) found[term.channel] = true;
  return found;
}

std::vector<Interval> first_intervals(const MotionShape& shape) {
  const int pieces = shape.is_spline() ? shape.intervals : 1;
  const double piece = shape.duration / pieces;
  const int parts = std::max(1, static_cast<int>(std::ceil(piece / kFirstLength)));
  std::vector<Interval> intervals;
  for (int i = 0; i < pieces * parts; ++i)
    intervals.push_back({i * (piece / parts), piece / parts});
  return intervals;
}

}  // namespace

std::vector<TorqueBound> bound_torques(const Information& information, const Limits& limits,
                                       const CoefficientMotion& motion, double tolerance) {
  const int n = motion.num_coordinates();
  const double deviations = limits.torque_deviations;
  Curvature curvature(information, deviations, motion);
  std::vector<TorqueBound> bounds(n, {.proved = true});
  const std::vector<bool> beyond_proof = has_expression(*information.plan);
  for (int c = 0; c < n; ++c) bounds[c].proved = !beyond_proof[c];
  std::vector<Extreme> reached(n);
  std::vector<Interval> open = first_intervals(motion.shape);
  while (!open.empty()) {
    const ArrayXXd sizes = sizes_at_ends(information, deviations, motion, open);
    for (int c = 0; c < n; ++c)
      for (Index i = 0; i < sizes.rows(); ++i)
        if (sizes(i, c) > reached[c].value)
          reached[c] = {sizes(i, c),
                        open[i / 2].begin + static_cast<double>(i % 2) * open[i / 2].length};
    std::vector<Interval> next;
    for (std::size_t i = 0; i < open.size(); ++i) {
      const VectorXd bend = curvature.over(open[i]);
      const double square = open[i].length * open[i].length / 8;
      const bool is_last = open[i].length < kLeastLength || next.size() > kMaxIntervals;
      bool closes = true;
      for (int c = 0; c < n; ++c) {
        if (beyond_proof[c]) continue;
        const auto at = static_cast<Index>(2 * i);
        const double bound = std::max(sizes(at, c), sizes(at + 1, c)) + square * bend[c];
        const double limit = limits.size[kTorque][c],
                     spare = tolerance * (std::isfinite(limit) ? limit : reached[c].value);
        if (bound <= reached[c].value + spare)
          bounds[c].largest.value = std::max(bounds[c].largest.value, bound);
        else if (is_last)
          bounds[c].proved = false;
        else
          closes = false;
      }
      if (closes) continue;
      const double half = 0.5 * open[i].length;
      next.push_back({open[i].begin, half});
      next.push_back({open[i].begin + half, half});
    }
    open = std::move(next);
  }
  for (int c = 0; c < n; ++c) {
    const double value =
        bounds[c].proved ? bounds[c].largest.value * (1 + kRounding) : reached[c].value;
    bounds[c].largest = {std::max(value, reached[c].value), reached[c].time};
  }
  return bounds;
}

}  // namespace heft::excite
