// Rules about the raw torque of one joint: constant, clipped, zero while the joint moves, full of
// jumps.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "base/median.hpp"
#include "column_scan.hpp"
#include "log_facts.hpp"

namespace heft::check {

namespace {

/// The valid numbers of a torque: of nearly every log, the column itself.
class Signal {
 public:
  Signal(const LogFacts& log, const JointLog& joint) {
    if (!log.raw.has_torque(joint.channel)) return;
    const auto column = log.raw.torque(joint.channel);
    data_ = column.data();
    size_ = column.size();
    if (count_finite(column) == size_) return;
    valid_.reserve(static_cast<std::size_t>(size_));
    for (const double number : column)
      if (std::isfinite(number)) valid_.push_back(number);
    data_ = valid_.data();
    size_ = std::ssize(valid_);
  }
  Signal(const Signal&) = delete;
  Signal& operator=(const Signal&) = delete;

  Eigen::Map<const Eigen::ArrayXd> numbers() const { return {data_, size_}; }
  Eigen::Index size() const { return size_; }
  double operator[](Eigen::Index k) const { return data_[k]; }

 private:
  const double* data_ = nullptr;
  Eigen::Index size_ = 0;
  std::vector<double> valid_;
};

/// The line of the k-th valid number.
std::int64_t line_of(const LogFacts& log, const JointLog& joint, Eigen::Index k) {
  const auto column = log.raw.torque(joint.channel);
  Eigen::Index row = 0;
  for (;; ++row)
    if (std::isfinite(column[row]) && k-- == 0) break;
  return log.raw.line[static_cast<std::size_t>(row)];
}

/// Farther off than the four around it are from each other, and than the torques around it are from
/// their medians: no ripple.
bool stands_alone(const double* torque, const Eigen::ArrayXd& deviation, Eigen::Index k) {
  constexpr double kOfRange = 1.5, kOfMean = 5;
  constexpr Eigen::Index kReach = 8;
  const double* x = torque + k - 2;
  const double low = std::min(std::min(x[0], x[1]), std::min(x[3], x[4])),
               high = std::max(std::max(x[0], x[1]), std::max(x[3], x[4]));
  const Eigen::Index first = k - std::min(k, kReach),
                     last = std::min(k + kReach, deviation.size() - 1);
  double others = -deviation[k];
  for (Eigen::Index i = first; i <= last; ++i) others += deviation[i];
  return deviation[k] > kOfRange * (high - low) &&
         deviation[k] * static_cast<double>(last - first) > kOfMean * others;
}

/// Median of five without branches: the smallest and largest of four cannot be the median.
double median_of_five(const double* x) {
  const double low = std::max(std::min(x[0], x[1]), std::min(x[2], x[3])),
               high = std::min(std::max(x[0], x[1]), std::max(x[2], x[3]));
  return std::max(std::min(low, high), std::min(std::max(low, high), x[4]));
}

/// Whether two columns that vary have the same number in nearly every row.
template <class Column>
bool are_equal(const Column& one, const Column& other) {
  constexpr double kOfRows = 0.999;
  constexpr Eigen::Index kGlance = 50;  // different columns differ soon
  Eigen::Index num_rows = 0, num_equal = 0;
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (Eigen::Index k = 0; k < one.size(); ++k) {
    if (!std::isfinite(one[k]) || !std::isfinite(other[k])) continue;
    ++num_rows;
    if (one[k] == other[k]) ++num_equal;
    if (num_rows == kGlance && num_equal == 0) return false;
    low = std::min(low, one[k]);
    high = std::max(high, one[k]);
  }
  return num_rows > kGlance && high > low &&
         static_cast<double>(num_equal) > kOfRows * static_cast<double>(num_rows);
}

/// Whether two positions differ by a constant or, mirrored, add up to one, within a thousandth of
/// their range.
template <class Column>
bool move_alike(const Column& one, const Column& other) {
  constexpr double kOfRange = 1e-3;
  for (const double sign : {1.0, -1.0}) {
    double low = std::numeric_limits<double>::infinity(), high = -low, least = low, most = -low;
    for (Eigen::Index k = 0; k < one.size(); ++k) {
      const double difference = one[k] - sign * other[k];
      if (!std::isfinite(difference)) continue;
      low = std::min(low, difference);
      high = std::max(high, difference);
      least = std::min(least, one[k]);
      most = std::max(most, one[k]);
    }
    if (high - low <= kOfRange * (most - least)) return true;
  }
  return false;
}

double rms_of(const Signal& signal) {
  double sum2 = 0;
  for (const double value : signal.numbers()) sum2 += value * value;
  return std::sqrt(sum2 / static_cast<double>(std::max<Eigen::Index>(1, signal.size())));
}

const std::string& torque_unit_of(const LogFacts& log, const JointLog& joint) {
  return log.channels[static_cast<std::size_t>(joint.channel)].unit;
}

std::string limit_remedy(double edge) {
  return fmt::format("set conditioning.torque_limit to {:.4g} for this joint, or move slower",
                     0.999 * std::abs(edge));
}

/// Rows at the very largest or smallest number, in runs.
MaybeLogEvidence clipped_at(const LogFacts& log, const JointLog& joint, const Signal& torque,
                            double edge) {
  constexpr Eigen::Index kRun = 4;
  constexpr double kShare = 0.003;
  const auto num_rows = static_cast<double>(torque.size());
  const Eigen::Index num_at_edge = count_equal(torque.numbers(), edge);
  if (!(static_cast<double>(num_at_edge) > kShare * num_rows)) return {};
  Eigen::Index clipped = 0, run = 0, first = torque.size();
  for (Eigen::Index k = 0; k < torque.size(); ++k) {
    run = torque[k] == edge ? run + 1 : 0;
    if (run == kRun) clipped += kRun - 1;
    if (run < kRun) continue;
    ++clipped;
    first = std::min(first, k + 1 - kRun);
  }
  const double share = static_cast<double>(clipped) / num_rows;
  // a motor that rests holds one number too, but not at the edge of its range for many rows
  if (!(share > kShare)) return {};
  return LogEvidence{fmt::format("torque is clipped at {:.4g} {} in {:.1f} % of the rows", edge,
                                 torque_unit_of(log, joint), 100 * share),
                     edge,
                     torque_unit_of(log, joint),
                     limit_remedy(edge),
                     line_of(log, joint, first),
                     share};
}

/// Clipped, then noisy: far more rows in the outermost hundredths of the range than in those beside
/// them. Dominant friction looks the same, so this alone is not conclusive.
MaybeLogEvidence piled_up_at(const LogFacts& log, const JointLog& joint, const Signal& torque,
                             double edge, double range) {
  constexpr double kBand = 0.03;                // of the range
  constexpr double kDense = 8, kShare = 0.015;  // times the adjacent bands; of the rows
  const double width = kBand * range;
  const auto num_within = [&](double num_bands) {  // from the edge inwards
    return static_cast<double>(count_within(torque.numbers(), edge, num_bands * width));
  };
  const double rows = static_cast<double>(torque.size());
  const double outer = num_within(2), inner = num_within(4) - outer;
  if (!(outer > kShare * rows) || !(outer > kDense * std::max(inner, 1.0))) return {};
  return LogEvidence{
      fmt::format(
          "{:.1f} % of the torques lie within {:.2g} {} of {:.4g}, and almost none just outside: "
          "clipped before noise was added, or friction alone",
          100 * outer / rows, 2 * width, torque_unit_of(log, joint), edge),
      edge, torque_unit_of(log, joint), limit_remedy(edge - std::copysign(2 * width, edge))};
}

}  // namespace

MaybeLogEvidence torque_dead(const LogFacts& log, const JointLog& joint) {
  const Signal torque(log, joint);
  if (torque.size() == 0 || (torque.numbers() != torque[0]).any()) return {};
  return LogEvidence{fmt::format("torque is {:g} in every row", torque[0]), torque[0],
                     torque_unit_of(log, joint),
                     "log the joint's torque, or write nan to exclude the joint"};
}

// Reports a copy once, for the later one of two equal torques. Joints that move alike have equal
// torques.
MaybeLogEvidence torque_copied(const LogFacts& log, const JointLog& joint) {
  if (!log.raw.has_torque(joint.channel)) return {};
  const auto torque = log.raw.torque(joint.channel);
  const auto evidence = [](const std::string& of) {
    return LogEvidence{"identical to the " + of, 1, "1",
                       "log the torque of each joint to its own column, or exclude the copy "
                       "(joints.exclude)"};
  };
  for (const JointLog& other : log.joints) {
    const std::string& name = log.coordinate(other).name;
    if (are_equal(torque, log.raw.position(other.joint))) return evidence("position of " + name);
    if (log.raw.has_velocity && are_equal(torque, log.raw.velocity(other.joint)))
      return evidence("velocity of " + name);
    if (other.joint < joint.joint && log.raw.has_torque(other.channel) &&
        are_equal(torque, log.raw.torque(other.channel)) &&
        !move_alike(log.raw.position(joint.joint), log.raw.position(other.joint)))
      return evidence("torque of " + name);
  }
  return {};
}

MaybeLogEvidence torque_saturated(const LogFacts& log, const JointLog& joint) {
  const Signal torque(log, joint);
  if (torque.size() < 20) return {};
  const Extremes range = extremes_of(torque.numbers());
  if (!(range.width() > 0)) return {};
  // the limit is one of size: an edge nearer to zero is where a load pulls one way only
  std::vector<double> edges;
  for (const double edge : {range.high, range.low})
    if (std::abs(edge) > 0.999 * range.farthest()) edges.push_back(edge);
  for (const double edge : edges)
    if (auto clipped = clipped_at(log, joint, torque, edge)) return clipped;
  for (const double edge : edges)
    if (auto piled_up = piled_up_at(log, joint, torque, edge, range.width())) return piled_up;
  return {};
}

// Reports torques beyond the effort limit of the robot's file: a wrong unit.
MaybeLogEvidence torque_beyond_effort(const LogFacts& log, const JointLog& joint) {
  constexpr double kFactor = 200,
                   kShare = 0.02;  // files have careless limits, but not this far off
  const double limit = log.coordinate(joint).max_effort;
  const Signal torque(log, joint);
  if (!(limit > 0) || !std::isfinite(limit) || torque.size() == 0) return {};
  const auto num_beyond = static_cast<Eigen::Index>(kShare * static_cast<double>(torque.size()));
  if (torque.size() - count_within(torque.numbers(), 0, kFactor * limit) <= num_beyond) return {};
  std::vector<double> sizes(static_cast<std::size_t>(torque.size()));
  std::transform(torque.numbers().begin(), torque.numbers().end(), sizes.begin(),
                 [](double value) { return std::abs(value); });
  const auto rank = sizes.end() - 1 - num_beyond;
  std::nth_element(sizes.begin(), rank, sizes.end());
  if (!(*rank > kFactor * limit)) return {};
  return LogEvidence{
      fmt::format("torques reach {:.3g} {}, but the robot's file allows {:.3g}", *rank,
                  torque_unit_of(log, joint), limit),
      *rank / limit, "1",
      "set log.torque_scale for this joint, e.g. 1e-3 for N mm, or correct the limit"};
}

// Many single torques far from the median of the five around them: a low-pass spreads each over its
// memory.
MaybeLogEvidence torque_jumps(const LogFacts& log, const JointLog& joint) {
  constexpr double kOfRms = 0.6, kOfUsual = 12;
  constexpr Eigen::Index kMany = 40;
  const Signal torque(log, joint);
  const Eigen::Index n = torque.size();
  if (n < 100) return {};
  const double large = kOfRms * rms_of(torque);
  // the median is one of the five, at most two steps away
  if (count_steps(torque.numbers(), 0.49 * large) == 0) return {};
  const double* const x = torque.numbers().data();
  Eigen::ArrayXd deviation = Eigen::ArrayXd::Zero(n);
  for (Eigen::Index k = 2; k + 2 < n; ++k)
    deviation[k] = std::abs(x[k] - median_of_five(x + k - 2));
  const double largest = deviation.maxCoeff();
  if (!(largest > large)) return {};
  std::vector<double> sizes(deviation.begin() + 2, deviation.end() - 2);
  if (is_median_at_least(sizes, largest / kOfUsual)) return {};
  const double least = std::max(large, kOfUsual * median(std::move(sizes)));
  Eigen::Index count = 0, first = 0;
  for (Eigen::Index k = 0; k < n; ++k)
    if (deviation[k] > least && stands_alone(x, deviation, k) && count++ == 0) first = k;
  if (count < kMany) return {};
  return LogEvidence{
      fmt::format("{} torques are more than {:.3g} {} from their neighbors", count, least,
                  torque_unit_of(log, joint)),
      static_cast<double>(count),
      "1",
      "write nan in their place, or use estimation.loss: huber; check for a bad connection",
      line_of(log, joint, first),
      static_cast<double>(count) / static_cast<double>(n)};
}

}  // namespace heft::check
