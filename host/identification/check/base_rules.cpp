// Rules about the six equations of a floating base, on which all measured wrenches act:
//
//   B(x) - sum_k J_k' w_k = 0
//
// with B the wrench that moves the bodies of the robot's file, corrected by a mass at the root
// link. A mistake is found if the equations hold without it and do not hold with it. Logs without
// wrenches: joint torques that forces at the ends of legs explain, whose sum carries the robot.
#include "base_rules.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "base_balance.hpp"
#include "contact_delay.hpp"
#include "leg_ends.hpp"

namespace heft::check {

namespace {

constexpr double kLeftByFile = 0.02;   ///< share of squares left by errors of a robot's file
constexpr double kMostLeft = 0.1;      ///< most that a mistake may leave
constexpr double kOfBefore = 0.5;      ///< of what is left without it
constexpr double kOfOneMistake = 0.7;  ///< that one of several mistakes must reach

/// A change of the log that undoes a mistake.
struct BaseMistake {
  const char* rule;
  std::string subject, what, unit, remedy;
  double measure = 0;
  std::vector<std::size_t> wrenches = {};  ///< that it concerns
  PushedAs as = PushedAs::given;           ///< their axes
  double factor = 1;                       ///< of the wrenches
  Eigen::Index later = 0;                  ///< rows by which they are late
  std::optional<Eigen::Matrix3d> R = {};   ///< rotates the motion of the base
};

std::string entries(const BaseLog& log, const std::vector<std::size_t>& wrenches) {
  std::vector<std::string> names;
  for (const std::size_t k : wrenches) names.push_back("'" + log.wrenches[k].name + "'");
  return fmt::format("{}", fmt::join(names, ", "));
}

/// Every wrench by itself, then all together.
std::vector<std::vector<std::size_t>> groups(std::size_t count) {
  std::vector<std::vector<std::size_t>> list;
  std::vector<std::size_t> all;
  for (std::size_t k = 0; k < count; ++k) {
    list.push_back({k});
    all.push_back(k);
  }
  if (count > 1) list.push_back(all);
  return list;
}

void add_signs(const BaseLog& log, std::vector<BaseMistake>& changes) {
  for (const auto& group : groups(log.wrenches.size()))
    changes.push_back({.rule = "wrench-reversed",
                       .subject = "wrenches " + entries(log, group),
                       .what = "the wrench has the opposite sign: it does not carry the robot",
                       .unit = "1",
                       .remedy = "change sign of " + entries(log, group) +
                                 " in wrenches (sign: -1, or 1 if it is -1)",
                       .measure = -1,
                       .wrenches = group,
                       .factor = -1});
}

void add_axes(const BaseLog& log, std::vector<BaseMistake>& changes) {
  for (const PushedAs as : {PushedAs::base, PushedAs::world})
    for (const auto& group : groups(log.wrenches.size())) {
      if (as == PushedAs::world && !log.has_orientation) continue;
      const bool is_world = as == PushedAs::world;
      changes.push_back(
          {.rule = "wrench-axes",
           .subject = "wrenches " + entries(log, group),
           .what = fmt::format("the wrench fits in the axes of the {}, not in those configured",
                               is_world ? "world" : "root link"),
           .unit = "1",
           .remedy = is_world
                         ? "set expressed_in: world for " + entries(log, group) + " in wrenches"
                         : "rotate the columns of " + entries(log, group) +
                               " into the axes of frame, or into the world's with "
                               "expressed_in: world and base.pose",
           .measure = 1,
           .wrenches = group,
           .as = as});
    }
}

/// Roll, pitch, yaw of URDF.
Eigen::Vector3d rpy_of(const Eigen::Matrix3d& R) {
  const double pitch = std::atan2(-R(2, 0), std::hypot(R(0, 0), R(1, 0)));
  if (std::hypot(R(0, 0), R(1, 0)) < 1e-9)
    return {std::atan2(R(0, 1) * (R(2, 0) < 0 ? 1 : -1), R(1, 1)), pitch, 0};
  return {std::atan2(R(2, 1), R(2, 2)), pitch, std::atan2(R(1, 0), R(0, 0))};
}

/// The 23 other ways to mount an IMU with axes along those configured.
void add_rotations(const BaseLog& log, std::vector<BaseMistake>& changes) {
  constexpr double kDegree = 0.017453292519943295;
  for (int x = 0; x < 6; ++x)
    for (int y = 0; y < 6; ++y) {
      if (x / 2 == y / 2 || (x == 0 && y == 2)) continue;
      Eigen::Matrix3d turn;
      turn.col(0) = (x % 2 == 0 ? 1.0 : -1.0) * Eigen::Vector3d::Unit(x / 2);
      turn.col(1) = (y % 2 == 0 ? 1.0 : -1.0) * Eigen::Vector3d::Unit(y / 2);
      turn.col(2) = turn.col(0).cross(turn.col(1));
      // the IMU's axes in the root link, as a joint of URDF states them
      const Eigen::Vector3d rpy =
          ((rpy_of(log.R_root_imu * turn) / kDegree).array().round() + 0.0).matrix();
      const Eigen::AngleAxisd axis(turn);
      changes.push_back(
          {.rule = "imu-rotated",
           .subject = "base",
           .what = fmt::format("the {} rotated by {:.0f} degrees relative to base.frame",
                               log.has_imu ? "IMU is" : "poses are", axis.angle() / kDegree),
           .unit = "degrees",
           .remedy = fmt::format(
               "name in base.frame a link whose axes are those of the {}: in the URDF, fixed to the "
               "root link with rpy {:.0f} {:.0f} {:.0f} degrees",
               log.has_imu ? "IMU" : "poses", rpy[0], rpy[1], rpy[2]),
           .measure = axis.angle() / kDegree,
           .R = log.R_root_imu * turn * log.R_root_imu.transpose()});
    }
}

void add_delays(const BaseLog& log, std::vector<BaseMistake>& changes) {
  constexpr double kLongest = 0.25;  // [s]
  const double period = log.period_s;
  if (!(period > 0) || log.wrenches.empty()) return;
  const auto most = static_cast<Eigen::Index>(kLongest / period);
  const auto step = std::max<Eigen::Index>(1, most / 25);
  std::vector<std::size_t> all(log.wrenches.size());
  for (std::size_t k = 0; k < all.size(); ++k) all[k] = k;
  for (Eigen::Index later = -most; later <= most; later += step) {
    if (later == 0) continue;
    const double ms = 1e3 * static_cast<double>(std::abs(later)) * period;
    changes.push_back(
        {.rule = "wrench-delay",
         .subject = "wrenches " + entries(log, all),
         .what = fmt::format("wrenches are logged about {:.0f} ms too {}", ms,
                             later > 0 ? "late" : "early"),
         .unit = "s",
         .remedy = fmt::format("log them with the clock of the joints, or shift their columns by "
                               "{:.0f} ms; files with clocks of their own: FILE+FILE",
                               ms),
         .measure = 1e-3 * ms * (later > 0 ? 1 : -1),
         .wrenches = all,
         .later = later});
  }
}

Finding finding_of_base(const BaseMistake& change, const std::string& path) {
  return {change.rule, Severity::error, change.subject, path + ":1",
          change.what, change.measure,  change.unit,    change.remedy};
}

/// The log after a change.
Result<BaseLog> undone(const BaseLog& log, const BaseMistake& change) {
  BaseLog other = log;
  for (const std::size_t k : change.wrenches) {
    PushedRows& wrench = other.wrenches[k];
    wrench.rows[0] = (change.factor * wrench.rows[static_cast<std::size_t>(change.as)]).eval();
    wrench.rows[0] = shifted(wrench.rows[0], change.later);
  }
  if (change.R) HEFT_CHECK(rotate(*change.R, other));
  return other;
}

/// Undoes mistakes one after the other, each that which leaves least.
Result<std::vector<Finding>> base_mistakes(const BaseLog& given, const std::string& path) {
  std::vector<BaseMistake> changes;
  add_signs(given, changes);
  add_axes(given, changes);
  add_rotations(given, changes);
  add_delays(given, changes);
  BaseLog log = given;
  std::vector<Finding> found;
  const double before = left_of(given);
  double left = before;
  const std::size_t most = given.wrenches.size() + 1;
  while (left > kLeftByFile && found.size() < most) {
    const BaseMistake* best = nullptr;
    BaseLog best_log;
    double least = kOfOneMistake * left;
    for (const BaseMistake& change : changes) {
      HEFT_TRY(other, undone(log, change));
      if (const double share = left_of(other); share < least) {
        best = &change;
        best_log = std::move(other);
        least = share;
      }
    }
    if (!best) break;
    found.push_back(finding_of_base(*best, path));
    log = std::move(best_log);
    left = least;
  }
  if (left < kMostLeft && left < kOfBefore * before) return found;
  return std::vector<Finding>{};
}

Result<std::vector<Finding>> missing_wrench(const BaseLog& log, const std::string& path) {
  // a force at a point leaves the torque of a flat foot
  constexpr double kLeastOfWeight = 0.1, kUpward = 0.3, kLeftByPoint = 0.3;
  const double before = left_of(log);
  HEFT_TRY(ends, leg_ends(*log.plan));
  const LegEnd* best = nullptr;
  EndForce of_best;
  for (const LegEnd& end : ends) {
    if (has_wrench(log, end)) continue;
    const EndForce force = force_at(log, end);
    if (best && !(force.left < of_best.left)) continue;
    best = &end;
    of_best = force;
  }
  if (!best || !(of_best.left < kLeftByPoint) || !(of_best.left < kOfBefore * before) ||
      !(of_best.upward > kLeastOfWeight) || !(of_best.upward > kUpward * of_best.size))
    return std::vector<Finding>{};
  return std::vector<Finding>{
      {"wrench-missing", Severity::error, best->link, path + ":1",
       fmt::format(
           "a force that no entry of wrenches names carries {:.0f} % of the robot's weight, "
           "most likely at {}",
           100 * of_best.upward, best->link),
       of_best.upward, "1",
       fmt::format(
           "add the wrench at {} to wrenches, list it under contacts if it has no sensor, or "
           "exclude the times when it is loaded (log.exclude)",
           best->link)}};
}

Result<std::vector<Finding>> unmeasured_contacts(const BaseLog& log, const std::string& path) {
  constexpr double kLeast = 0.3, kMost = 2, kAlike = 0.5;
  HEFT_TRY(ends, leg_ends(*log.plan));
  const LegForces forces = leg_forces(log, ends);
  if (!(forces.of_weight > kLeast && forces.of_weight < kMost && forces.alike > kAlike))
    return std::vector<Finding>{};
  return std::vector<Finding>{
      {"contacts-unmeasured", Severity::error, "base", path + ":1",
       fmt::format("the robot stands: forces at {} that explain the joint torques add up to {:.0f} "
                   "% of its weight, but neither wrenches nor contacts are configured",
                   fmt::join(forces.loaded, ", "), 100 * forces.of_weight),
       forces.of_weight, "1",
       "name the measured forces in wrenches, list feet without sensors under contacts, or use logs "
       "in which the robot hangs in the air (docs/legged.md)"}};
}

Result<std::vector<Finding>> wrong_states(const BaseLog& log, const std::string& path) {
  constexpr double kLoaded = 0.15, kOfApart = 0.7;  // widened states mix both
  HEFT_TRY(forces, state_forces(log));
  std::vector<Finding> found;
  for (std::size_t k = 0; k < forces.size(); ++k) {
    const auto [touching, apart] = forces[k];
    if (!(apart > kLoaded && touching < kOfApart * apart)) continue;
    const std::string& frame = log.contacts[k].frame;
    found.push_back(
        {"contact-state", Severity::error, frame, path + ":1",
         fmt::format("{} carries {:.0f} % of the robot's weight while its state is not in contact, "
                     "and {:.0f} % while it is",
                     frame, 100 * apart, 100 * std::max(touching, 0.0)),
         apart, "1",
         "invert the column of its state in contacts if it is 1 in the air, shift it if it is late "
         "or early, or lower the threshold; or set state: auto, which needs no column"});
  }
  return found;
}

/// Quaternions whose other order balances the equations.
Result<std::vector<Finding>> wrong_quaternion(const LogFacts& facts, const Log& file, double left) {
  const BaseSource& base = facts.options.conditioning.base;
  if (base.pose.empty() || base.quaternion == PoseQuaternion::unstated)
    return std::vector<Finding>{};
  const auto other = read_base_log(facts, file, {.other_quaternion = true});
  if (!other && other.error().is_stop) return other.error();
  if (!other || !other->is_usable()) return std::vector<Finding>{};
  const double left_by_other = left_of(*other);
  if (!(left_by_other < kMostLeft && left_by_other < kOfBefore * left))
    return std::vector<Finding>{};
  const char* order = base.quaternion == PoseQuaternion::xyzw ? "wxyz" : "xyzw";
  return std::vector<Finding>{
      {"quaternion-order", Severity::error, "base", file.name() + ":1",
       fmt::format(
           "the quaternion of the base is in the order {}, not {}: only then do the wrenches match "
           "the motion",
           order, enum_name(base.quaternion)),
       left, "1", fmt::format("set base.quaternion: {}", order)}};
}

Result<std::vector<Finding>> late_states(const LogFacts& facts, const Log& file) {
  HEFT_TRY(log, read_base_log(facts, file, {.kept = kMostBaseRows, .filters_alike = true}));
  HEFT_TRY(delay, contact_delay(log));
  if (!delay) return std::vector<Finding>{};
  double widened = 1;
  for (const ContactSpec& contact : projected_contacts(facts.options.model))
    widened = std::min(widened, contact.widen_s);
  const double ms = 1e3 * std::abs(delay->late_s);
  const double enough = std::ceil(100 * (std::abs(delay->late_s) + 0.02)) / 100;
  const bool is_covered = std::abs(delay->late_s) < widened;
  return std::vector<Finding>{
      {"contact-delay", is_covered ? Severity::warning : Severity::error, "contacts",
       file.name() + ":1",
       fmt::format("states of {} contacts are logged about {:.0f} ms too {}", delay->num_contacts,
                   ms, delay->late_s > 0 ? "late" : "early"),
       delay->late_s, "s",
       fmt::format("shift their columns by {:.0f} ms, or set widen_s: {:.2f} in contacts", ms,
                   enough)}};
}

}  // namespace

Result<std::vector<Finding>> check_base(const LogFacts& log, const Log& file) {
  auto read = read_base_log(log, file);
  if (!read && read.error().is_stop) return read.error();
  if (!read || !read->is_usable()) return std::vector<Finding>{};
  const std::string path = file.name();
  if (!read->contacts.empty()) {
    HEFT_TRY(late, late_states(log, file));
    return late.empty() ? wrong_states(*read, path) : late;
  }
  if (read->wrenches.empty())
    return read->has_measured_base ? std::vector<Finding>{} : unmeasured_contacts(*read, path);
  if (!(left_of(*read) > kLeftByFile)) return std::vector<Finding>{};
  HEFT_TRY(reordered, wrong_quaternion(log, file, left_of(*read)));
  if (!reordered.empty()) return reordered;
  HEFT_TRY(found, base_mistakes(*read, path));
  return found.empty() ? missing_wrench(*read, path) : found;
}

}  // namespace heft::check
