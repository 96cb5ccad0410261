// Rules about one joint's columns: position compared with its limits, velocity with position, and
// the range of the torque.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <vector>

#include "base/median.hpp"
#include "check/joint_orders.hpp"
#include "column_mistakes.hpp"
#include "column_scan.hpp"
#include "conditioning/position_range.hpp"
#include "files/yaml_text.hpp"
#include "log_facts.hpp"
#include "model/least_travel.hpp"
#include "model/units.hpp"

namespace heft::check {

namespace {

/// The line of the first row with this number.
template <class Column>
std::int64_t line_of(const LogFacts& log, const Column& column, double number) {
  const auto row = std::find(column.begin(), column.end(), number) - column.begin();
  return log.raw.line[static_cast<std::size_t>(row < column.size() ? row : 0)];
}

// Velocity by central differences over `reach` rows on each side, long enough that one encoder step
// is small.
Eigen::ArrayXd differences(const LogFacts& log, int joint, Eigen::Index reach) {
  const Eigen::ArrayXd q = log.raw.position(joint);
  Eigen::ArrayXd slope = Eigen::ArrayXd::Zero(q.size());
  for (Eigen::Index k = reach; k + reach < q.size(); ++k) {
    const double span = log.raw.time[k + reach] - log.raw.time[k - reach];
    const bool usual =
        std::abs(span / (2 * static_cast<double>(reach) * log.raw.median_step) - 1) < 0.5;
    slope[k] = usual ? (q[k + reach] - q[k - reach]) / span : 0;
  }
  return slope.isFinite().select(slope, 0.0);
}

// v = scale * slope by least squares, and the share of v that this leaves
struct Match {
  double scale = 0, left = 1;
};

Match match(const Eigen::ArrayXd& velocity, const Eigen::ArrayXd& slope) {
  const Eigen::ArrayXd v = velocity.isFinite().select(velocity, 0.0);
  const double ss = slope.square().sum(), vv = v.square().sum();
  if (!(ss > 0) || !(vv > 0)) return {};
  const double scale = (v * slope).sum() / ss;
  return {scale, (v - scale * slope).square().sum() / vv};
}

Match match_of(const LogFacts& log, const JointLog& velocity_of, int position_of) {
  const auto reach = static_cast<Eigen::Index>(std::clamp(0.01 / log.raw.median_step, 1.0, 20.0));
  return match(log.raw.velocity(velocity_of.joint), differences(log, position_of, reach));
}

constexpr double kSame = 0.1;  // share left of a velocity that is a position's derivative

}  // namespace

// Two encoders never give the same numbers in every row: one column is a copy, or one drive moves
// both joints, as in a gripper or in a simulation without noise.
MaybeLogEvidence position_of_other_joint(const LogFacts& log, const JointLog& joint) {
  if (!joint.moves) return {};
  const auto own = log.raw.position(joint.joint);
  for (const JointLog& other : log.joints) {
    if (other.joint == joint.joint || !other.moves) continue;
    const auto theirs = log.raw.position(other.joint);
    bool is_same = true;
    for (Eigen::Index k = 0; k < own.size() && is_same; ++k)
      is_same = own[k] == theirs[k] || (std::isnan(own[k]) && std::isnan(theirs[k]));
    if (!is_same) continue;
    const std::string& name = log.coordinate(other).name;
    return LogEvidence{
        fmt::format("position equals that of {} in every row: a copy, unless one drive moves both",
                    name),
        static_cast<double>(own.size()), "1",
        "write each joint's position to its own column; if one drive moves both joints, declare it with "
        "<mimic>"};
  }
  return {};
}

// A log has one unit of angles: a joint without limits is in degrees if it moves far and all joints
// with limits are in degrees.
bool is_in_degrees(const LogFacts& log, const JointLog& joint) {
  constexpr double kFar = 4 * std::numbers::pi;  // [rad]
  const Coordinate& coordinate = log.coordinate(joint);
  if (log.options.log.angle_unit.of(coordinate.name, joint.joint) == "deg") return false;
  const Extremes range = extremes_of(log.raw.position(joint.joint));
  const auto is_limited = [&](const JointLog& other) {
    const Coordinate& one = log.coordinate(other);
    return one.is_angle && std::isfinite(one.upper - one.lower);
  };
  if (!coordinate.is_angle || is_limited(joint))
    return are_evidently_degrees(range.low, range.high, coordinate);
  int num_limited = 0;
  for (const JointLog& other : log.joints) {
    if (!is_limited(other)) continue;
    if (!is_in_degrees(log, other)) return false;
    ++num_limited;
  }
  return num_limited >= 2 && range.width() > kFar;
}

MaybeLogEvidence position_in_degrees(const LogFacts& log, const JointLog& joint) {
  if (!is_in_degrees(log, joint)) return {};
  const Coordinate& coordinate = log.coordinate(joint);
  const auto q = log.raw.position(joint.joint);
  const Extremes range = extremes_of(q);
  LogEvidence evidence{fmt::format("positions from {:.4g} to {:.4g} rad: they are in degrees",
                                   range.low, range.high),
                       range.farthest(), "rad",
                       "set log.angle_unit: deg (all joints), or scale the column",
                       line_of(log, q, range.high)};
  evidence.fix = {fmt::format("log: {{angle_unit: {{{}: deg}}}}\n", yaml_quoted(coordinate.name)),
                  scaled_motion(joint.joint, kDegree)};
  return evidence;
}

MaybeLogEvidence position_beyond_limits(const LogFacts& log, const JointLog& joint) {
  const Coordinate& coordinate = log.coordinate(joint);
  const auto q = log.raw.position(joint.joint);
  const Extremes range = extremes_of(q);
  const double tolerance = coordinate.is_angle ? 0.05 : 0.01;
  const double below = coordinate.lower - range.low, above = range.high - coordinate.upper;
  const double beyond = std::max(below, above);
  if (!(coordinate.lower < coordinate.upper) || !(beyond > tolerance)) return {};
  return LogEvidence{fmt::format("position reaches {:.4g} {}, {:.3g} beyond the URDF's limit",
                                 below > above ? range.low : range.high,
                                 position_unit(coordinate.is_angle), beyond),
                     beyond, position_unit(coordinate.is_angle),
                     "check the joint's zero, sign and unit against the URDF, or its limits",
                     line_of(log, q, below > above ? range.low : range.high)};
}

MaybeLogEvidence joint_still(const LogFacts& log, const JointLog& joint) {
  const Coordinate& coordinate = log.coordinate(joint);
  const auto q = log.raw.position(joint.joint);
  if (spans(q, least_travel(coordinate))) return {};
  const double width = std::max(extremes_of(q).width(), 0.0);  // all nan: no range
  return LogEvidence{fmt::format("moves by only {:.2g} {} in the whole log", width,
                                 position_unit(coordinate.is_angle)),
                     width, position_unit(coordinate.is_angle),
                     "move it: its own inertia and friction cannot be identified"};
}

// Steps of an encoder: every difference is a whole multiple of the smallest.
MaybeLogEvidence position_quantized(const LogFacts& log, const JointLog& joint) {
  const Coordinate& coordinate = log.coordinate(joint);
  const auto q = log.raw.position(joint.joint);
  const double coarse = coordinate.is_angle ? 1e-3 : 1e-4;
  double step = std::numeric_limits<double>::infinity();
  for (Eigen::Index k = 1; k < q.size() && step > coarse; ++k)
    if (const double size = std::abs(q[k] - q[k - 1]); size > 1e-9) step = std::min(step, size);
  if (!(step > coarse) || !std::isfinite(step)) return {};
  Eigen::Index odd = 0;
  for (Eigen::Index k = 1; k < q.size(); ++k) {
    const double steps = (q[k] - q[k - 1]) / step;
    odd += std::abs(steps - std::round(steps)) > 0.1;
  }
  if (20 * odd > q.size()) return {};
  return LogEvidence{
      fmt::format("position comes in steps of {:.2g} {}", step, position_unit(coordinate.is_angle)),
      step, position_unit(coordinate.is_angle),
      "log the full resolution of the encoder, with more decimals; lower conditioning.lowpass_hz"};
}

MaybeLogEvidence velocity_reversed(const LogFacts& log, const JointLog& joint) {
  if (!log.raw.has_velocity || !joint.moves) return {};
  const Match own = match_of(log, joint, joint.joint);
  if (!(own.left < kSame) || !(own.scale < 0)) return {};
  return LogEvidence{
      fmt::format("logged velocity is {:.3g} times the derivative of the position", own.scale),
      own.scale, "1", "negate one of the two columns"};
}

MaybeLogEvidence velocity_in_degrees(const LogFacts& log, const JointLog& joint) {
  if (!log.raw.has_velocity || !joint.moves) return {};
  const Match own = match_of(log, joint, joint.joint);
  if (!(own.left < kSame) || !(std::abs(own.scale * kDegree - 1) < 0.1)) return {};
  return LogEvidence{
      fmt::format("logged velocity is {:.3g} times the derivative of the position: degrees",
                  own.scale),
      own.scale, "1", "scale the velocity by pi / 180"};
}

MaybeLogEvidence velocity_of_other_joint(const LogFacts& log, const JointLog& joint) {
  if (!log.raw.has_velocity || !joint.moves) return {};
  if (match_of(log, joint, joint.joint).left < 0.5) return {};
  for (const JointLog& other : log.joints) {
    if (other.joint == joint.joint || !other.moves) continue;
    const Match theirs = match_of(log, joint, other.joint);
    if (theirs.left < kSame && theirs.scale > 0)
      return LogEvidence{fmt::format("logged velocity is the derivative of {}'s position",
                                     log.coordinate(other).name),
                         theirs.left, "1", "write each joint's velocity to its own column"};
  }
  return {};
}

MaybeLogEvidence velocity_mismatch(const LogFacts& log, const JointLog& joint) {
  if (!log.raw.has_velocity || !joint.moves) return {};
  const Match own = match_of(log, joint, joint.joint);
  if (own.left < 0.3 && std::abs(own.scale - 1) < 0.15) return {};
  return LogEvidence{
      fmt::format("logged velocity is not the derivative of the position: best factor {:.3g}, "
                  "{:.0f} % unexplained",
                  own.scale, 100 * own.left),
      own.left, "1", "use conditioning.velocity: from_position, or correct the column"};
}

/// Whether velocities were differentiated from the same positions and stamps and thus carry no
/// independent clock.
bool are_differences(const LogFacts& log, const JointLog& joint) {
  constexpr double kRounding = 1e-5;  // relative
  const Eigen::ArrayXd q = log.raw.position(joint.joint), v = log.raw.velocity(joint.joint);
  const Eigen::Index n = q.size();
  if (n < 4) return false;
  const auto left_by = [&](Eigen::Index back, Eigen::Index ahead) {
    double left = 0, all = 0;
    for (Eigen::Index k = 1; k + 1 < n; ++k) {
      const double slope =
          (q[k + ahead] - q[k - back]) / (log.raw.time[k + ahead] - log.raw.time[k - back]);
      if (!std::isfinite(slope) || !std::isfinite(v[k])) continue;
      left += (v[k] - slope) * (v[k] - slope);
      all += v[k] * v[k];
    }
    return all > 0 ? std::sqrt(left / all) : 1;
  };
  return left_by(1, 1) < kRounding || left_by(1, 0) < kRounding || left_by(0, 1) < kRounding;
}

std::optional<double> velocity_scale(const LogFacts& log) {
  if (!log.raw.has_velocity) return {};
  std::vector<double> scales;
  for (const JointLog& joint : log.joints) {
    if (!joint.moves || are_differences(log, joint)) continue;
    const Match own = match_of(log, joint, joint.joint);
    if (own.left < kSame && own.scale > 0) scales.push_back(own.scale);
  }
  if (scales.empty()) return {};
  return balanced_median(std::move(scales));
}

MaybeLogEvidence velocity_not_used(const LogFacts& log, const JointLog& joint) {
  const bool is_used = log.options.conditioning.velocity == VelocitySource::logged;
  if (!log.raw.has_velocity || is_used || joint.joint != log.joints.front().joint) return {};
  const auto count = static_cast<double>(log.robot.num_coordinates());
  return LogEvidence{
      fmt::format(
          "the log has {} velocity columns, which are not used: velocities are differentiated from "
          "positions",
          log.robot.num_coordinates()),
      count, "1", "set conditioning.velocity: logged to use them"};
}

// The joints of a chain are numbered from the base; on a branching robot, the numbering is a
// convention.
MaybeLogEvidence joints_by_number(const LogFacts& log, const JointLog& joint) {
  if (joint.joint != log.joints.front().joint || !branches(log.robot)) return {};
  std::vector<std::string> pairs;
  for (int k = 0; k < log.robot.num_coordinates(); ++k) {
    const std::string &column = log.raw.name(log.raw.columns.first_position + k),
                      &name = log.robot.coordinates[static_cast<std::size_t>(k)].name;
    const std::vector<std::string>& told = log.options.log.position;
    const bool is_told = std::find(told.begin(), told.end(), column) != told.end();
    if (is_told || column.find(name) != std::string::npos) return {};
    pairs.push_back(column + " as " + name);
  }
  return LogEvidence{
      fmt::format("the robot branches and its columns are numbered; they are read as: {}",
                  fmt::join(pairs, ", ")),
      static_cast<double>(pairs.size()), "1",
      "compare with the order in which the log was written; list the columns in this order in log.position "
      "and log.torque"};
}

}  // namespace heft::check
