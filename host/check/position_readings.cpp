// Finds units of positions that are neither radians nor meters.
//
// A reading of all joints leaves of every channel's torque y, with x the torque that the URDF's own bodies ask for,
// min(|y - x|^2, 2 min_s |y - s x|^2) / |y|^2: the likelihood of x as it is, or, at a price, of torques in another unit. The sum of
// the logs is lowered unit by unit, then joint by joint. A unit is claimed if two independent signs agree: numbers that no radians
// or meters are (far beyond the limits, and within them if so read; whole numbers), and torques that prefer it to all other units; or,
// where limits say nothing, torques by the URDF's bodies and by bodies that are free to follow.
#include "position_readings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "column_mistakes.hpp"
#include "files/yaml_text.hpp"
#include "log/option_yaml.hpp"
#include "model/units.hpp"
#include "torque_agreement.hpp"

namespace heft::check {

namespace {

constexpr double kFarthestWithoutLimits = 25;  ///< [rad]: joints without limits hardly move as far in a log
constexpr double kFewestTicks = 20;            ///< over which a joint must move
constexpr double kWholeRows = 0.99;            ///< share of rows that are whole numbers
constexpr double kSlack = 0.1;                 ///< of the joint's range, by which a log may leave it
constexpr double kLeastAngle = 0.02, kLeastTravel = 0.002;  ///< [rad], [m]: joints that move less say nothing

constexpr double kSmallestShare = 0.02;     ///< better fits are no better evidence
constexpr double kOtherTorqueUnit = 2;      ///< price of a torque in another unit
constexpr double kWitnessAgrees = 0.85;     ///< correlation of a joint's torque that makes it a witness
constexpr double kGainBesideNumbers = 0.5;  ///< fall of the score beside a sign of the numbers themselves
constexpr double kGainAlone = 1.5;          ///< of torques alone
constexpr double kWitness = 0.7;            ///< of one joint's own fall, where torques are alone
constexpr double kUndecided = 0.3;          ///< a change of the score that is no preference
constexpr double kPriceBeyondLimits = 1.5;  ///< price of radians or meters far beyond a joint's limits
constexpr double kOtherScale = 0.5;         ///< fall at another scale that speaks for a gear
constexpr double kSharp = 0.3;              ///< rise at another scale, where torques are alone

constexpr int kAsTold = -1;

struct ReadJoint {
  int coordinate = 0, channel = 0;
  bool is_angle = true;
  bool is_beyond = false;  ///< no radians or meters, by the limits
  bool is_whole = false;
  std::vector<PositionReading> readings;  ///< that its numbers allow

  int index_of(const std::string& unit) const {
    const auto found =
        std::find_if(readings.begin(), readings.end(), [&](const auto& one) { return one.unit == unit; });
    return found == readings.end() ? kAsTold : static_cast<int>(found - readings.begin());
  }
};

using ReadingChoice = std::vector<int>;  ///< by joint: index of a reading, or kAsTold

struct LoggedRange {
  double low = 0, high = 0;
  double width() const { return high - low; }
  double farthest() const { return std::max(std::abs(low), std::abs(high)); }
};

LoggedRange logged_range(const LogFacts& log, int coordinate) {
  const auto q = log.raw.position(coordinate);
  const auto numbers = q.isFinite();
  return {numbers.select(q, INFINITY).minCoeff(), numbers.select(q, -INFINITY).maxCoeff()};
}

bool are_whole(const LogFacts& log, int coordinate) {
  const Eigen::ArrayXd q = log.raw.position(coordinate);
  const auto numbers = q.isFinite();
  const auto whole = numbers && (q - q.round()).abs() < 1e-6;
  return static_cast<double>(whole.count()) >= kWholeRows * static_cast<double>(numbers.count());
}

bool is_far_beyond(const LoggedRange& range, const Coordinate& coordinate) {
  const double allowed = coordinate.upper - coordinate.lower;
  const double farthest_allowed = std::max(std::abs(coordinate.lower), std::abs(coordinate.upper));
  if (!std::isfinite(allowed)) return coordinate.is_angle && range.width() > kFarthestWithoutLimits;
  if (!coordinate.is_angle) return allowed > 0 && range.farthest() > 3 * farthest_allowed;
  return range.farthest() > 2 * std::numbers::pi &&
         (range.width() > 1.5 * allowed || range.farthest() > 3 * farthest_allowed);
}

bool fits(const PositionReading& reading, const LoggedRange& range, const Coordinate& coordinate) {
  if (range.low < reading.lowest || range.high > reading.highest) return false;
  const double a = reading.position(range.low), b = reading.position(range.high);
  const double width = std::abs(b - a), allowed = coordinate.upper - coordinate.lower;
  if (width < (coordinate.is_angle ? kLeastAngle : kLeastTravel)) return false;
  if (!std::isfinite(allowed)) return width < kFarthestWithoutLimits;
  return std::min(a, b) > coordinate.lower - kSlack * allowed &&
         std::max(a, b) < coordinate.upper + kSlack * allowed;
}

/// Whoever has set an option of the joint's positions knows their unit.
bool is_unit_told(const LogFacts& log, int k, const Coordinate& coordinate) {
  const LogFormat& format = log.options.log;
  return format.position_scale.of(coordinate.name, k) != 1 ||
         format.position_offset.of(coordinate.name, k) != 0 ||
         (coordinate.is_angle && format.angle_unit.of(coordinate.name, k) == "deg");
}

ReadJoint joint_of(const LogFacts& log, const JointLog& one, bool by_torque_alone) {
  const Coordinate& coordinate = log.coordinate(one);
  const LoggedRange range = logged_range(log, one.joint);
  ReadJoint joint{.coordinate = one.joint, .channel = one.channel, .is_angle = coordinate.is_angle};
  const bool is_known = is_unit_told(log, one.joint, coordinate) || !(range.width() > 0) ||
                        log.wrapped[static_cast<std::size_t>(one.joint)];
  if (is_known) return joint;
  joint.is_beyond = is_far_beyond(range, coordinate);
  joint.is_whole = range.width() >= kFewestTicks && are_whole(log, one.joint);
  for (PositionReading& reading : position_readings(coordinate)) {
    const bool is_possible = reading.is_inconspicuous ? by_torque_alone && !joint.is_beyond : joint.is_beyond;
    if (is_possible && (joint.is_whole || !reading.is_whole) && fits(reading, range, coordinate))
      joint.readings.push_back(std::move(reading));
  }
  return joint;
}

std::function<void(Samples&)> read_as(int coordinate, const PositionReading& reading) {
  return [=](Samples& s) {
    scaled_motion(coordinate, reading.scale)(s);
    s.position.col(coordinate) -= reading.offset();
  };
}

class ReadingSearch {
 public:
  ReadingSearch(const TorqueTest& test, const std::vector<ReadJoint>& joints)
      : test_(test), joints_(joints) {}

  /// The readings of least score.
  Result<ReadingChoice> best() const {
    HEFT_TRY(start, best_shared());
    ReadingChoice choice = start;
    HEFT_TRY(score, cost_of(choice));
    for (int round = 0; round < 2; ++round)
      for (std::size_t j = 0; j < joints_.size(); ++j)
        for (int k = kAsTold; k < std::ssize(joints_[j].readings); ++k) {
          ReadingChoice other = choice;
          other[j] = k;
          HEFT_TRY(found, cost_of(other));
          if (!(found < score - price(j, k))) continue;
          choice = other;
          score = found;
        }
    return choice;
  }

  Result<double> score_of(const ReadingChoice& choice) const {
    HEFT_TRY(agreements, agreements_of(choice));
    double sum = 0;
    for (const Agreement& agreement : agreements)
      sum += std::log(std::clamp(std::min(agreement.left_as_it_is, kOtherTorqueUnit * agreement.left_scaled),
                                 kSmallestShare, 1.0));
    return sum;
  }

  /// The score, with what limits say.
  Result<double> cost_of(const ReadingChoice& choice) const {
    HEFT_TRY(score, score_of(choice));
    double cost = score;
    for (std::size_t j = 0; j < joints_.size(); ++j)
      if (joints_[j].is_beyond && choice[j] == kAsTold) cost += kPriceBeyondLimits;
    return cost;
  }

  /// The same with bodies that are free to follow.
  Result<double> free_score_of(const ReadingChoice& choice) const {
    HEFT_TRY(left, test_.left_by_free_bodies(read(choice)));
    return left.max(1e-3).log().sum();
  }

  Result<std::vector<Agreement>> agreements_of(const ReadingChoice& choice) const {
    return test_.agreements(read(choice));
  }

  /// Of a choice whose joints `group` are scaled by another `factor`.
  Result<double> score_scaled(const ReadingChoice& choice, const std::vector<std::size_t>& group,
                              double factor) const {
    Samples samples = read(choice);
    for (const std::size_t j : group) scaled_motion(joints_[j].coordinate, factor)(samples);
    HEFT_TRY(agreements, test_.agreements(samples));
    double sum = 0;
    for (const Agreement& agreement : agreements)
      sum += std::log(std::clamp(agreement.left_as_it_is, kSmallestShare, 1.0));
    return sum;
  }

 private:
  Samples read(const ReadingChoice& choice) const {
    Samples samples = test_.samples();
    for (std::size_t j = 0; j < joints_.size(); ++j)
      if (choice[j] != kAsTold)
        read_as(joints_[j].coordinate, joints_[j].readings[static_cast<std::size_t>(choice[j])])(samples);
    return samples;
  }

  /// A joint that counts against its axis must be told so clearly.
  double price(std::size_t j, int k) const {
    constexpr double kAny = 1e-9, kReversed = 0.1;
    return k != kAsTold && joints_[j].readings[static_cast<std::size_t>(k)].scale < 0 ? kReversed : kAny;
  }

  /// One unit of all angles that can have it, one of all travels.
  Result<ReadingChoice> best_shared() const {
    ReadingChoice choice(joints_.size(), kAsTold);
    for (const bool is_angle : {false, true}) {
      HEFT_TRY(score, cost_of(choice));
      const ReadingChoice start = choice;
      for (const std::string& unit : units(is_angle)) {
        ReadingChoice other = start;
        for (std::size_t j = 0; j < joints_.size(); ++j)
          if (joints_[j].is_angle == is_angle) other[j] = joints_[j].index_of(unit);
        HEFT_TRY(found, cost_of(other));
        if (!(found < score)) continue;
        choice = other;
        score = found;
      }
    }
    return choice;
  }

  std::vector<std::string> units(bool is_angle) const {
    std::vector<std::string> all;
    for (const ReadJoint& joint : joints_)
      for (const PositionReading& reading : joint.readings)
        if (joint.is_angle == is_angle && std::find(all.begin(), all.end(), reading.unit) == all.end())
          all.push_back(reading.unit);
    return all;
  }

  const TorqueTest& test_;
  const std::vector<ReadJoint>& joints_;
};

/// Joints that share a unit, and whether enough speaks for it.
class Claim {
 public:
  Claim(const ReadingSearch& search, const std::vector<ReadJoint>& joints, const ReadingChoice& choice,
        std::vector<std::size_t> group)
      : search_(search), joints_(joints), choice_(choice), group_(std::move(group)) {}

  const PositionReading& reading() const { return of(group_.front()); }
  const PositionReading& of(std::size_t j) const {
    return joints_[j].readings[static_cast<std::size_t>(choice_[j])];
  }

  /// Fall of the score against the log as it was told.
  Result<double> gain() const {
    HEFT_TRY(score, search_.score_of(choice_));
    HEFT_TRY(other, search_.score_of(as_told()));
    return other - score;
  }

  Result<bool> holds() {
    HEFT_CHECK(find_best_other());
    HEFT_TRY(cost, search_.cost_of(choice_));
    HEFT_TRY(cost_otherwise, search_.cost_of(best_other_));
    const double fall = cost_otherwise - cost;
    HEFT_TRY(free, search_.free_score_of(choice_));
    HEFT_TRY(free_other, search_.free_score_of(best_other_));
    HEFT_TRY(is_scale_right, no_other_scale_is_better());
    const double free_fall = free_other - free;
    if (!is_scale_right) return false;
    if (reading().is_inconspicuous) {
      HEFT_TRY(has_witness, is_seen_by_a_joint());
      return has_witness && fall > kGainAlone && free_fall > kUndecided;
    }
    return std::max(fall, free_fall) > kGainBesideNumbers && std::min(fall, free_fall) > -kUndecided;
  }

  /// No unit of another kind is possible.
  bool is_only_kind() const {
    return std::all_of(group_.begin(), group_.end(), [&](std::size_t j) {
      return std::all_of(joints_[j].readings.begin(), joints_[j].readings.end(),
                         [&](const PositionReading& one) { return one.unit == of(j).unit; });
    });
  }

 private:
  ReadingChoice as_told() const {
    ReadingChoice choice = choice_;
    for (const std::size_t j : group_) choice[j] = kAsTold;
    return choice;
  }

  /// All of the group as told, or in another unit that all can have.
  Result<Done> find_best_other() {
    double least = std::numeric_limits<double>::infinity();
    const auto attempt = [&](const ReadingChoice& other) -> Result<Done> {
      HEFT_TRY(score, search_.cost_of(other));
      if (score < least) {
        least = score;
        best_other_ = other;
      }
      return Done{};
    };
    HEFT_CHECK(attempt(as_told()));
    for (const PositionReading& unit : joints_[group_.front()].readings) {
      ReadingChoice other = choice_;
      bool is_possible = unit.unit != reading().unit;
      for (const std::size_t j : group_) {
        other[j] = joints_[j].index_of(unit.unit);
        is_possible = is_possible && other[j] != kAsTold;
      }
      if (is_possible) HEFT_CHECK(attempt(other));
    }
    return Done{};
  }

  Result<bool> no_other_scale_is_better() const {
    HEFT_TRY(score, search_.score_scaled(choice_, group_, 1));
    double least_nearby = std::numeric_limits<double>::infinity();
    for (const double factor : {0.62, 0.75, 0.87, 1.15, 1.33, 1.6}) {
      HEFT_TRY(other, search_.score_scaled(choice_, group_, factor));
      if (other < score - kOtherScale) return false;
      if (std::abs(std::log(factor)) > 0.25) least_nearby = std::min(least_nearby, other);
    }
    return !reading().is_inconspicuous || least_nearby > score + kSharp;
  }

  /// The torque of one joint at least prefers the unit clearly, and agrees with the file's.
  Result<bool> is_seen_by_a_joint() const {
    HEFT_TRY(agreements, search_.agreements_of(choice_));
    HEFT_TRY(score, search_.score_of(choice_));
    for (const std::size_t j : group_) {
      ReadingChoice other = choice_;
      other[j] = kAsTold;
      HEFT_TRY(without, search_.score_of(other));
      const Agreement& own = agreements[static_cast<std::size_t>(joints_[j].channel)];
      if (own.known && own.correlation > kWitnessAgrees && without > score + kWitness) return true;
    }
    return false;
  }

  const ReadingSearch& search_;
  const std::vector<ReadJoint>& joints_;
  const ReadingChoice& choice_;
  std::vector<std::size_t> group_;
  ReadingChoice best_other_;
};

std::vector<std::size_t> sharing(const std::vector<ReadJoint>& joints, const ReadingChoice& choice,
                                 const std::string& unit) {
  std::vector<std::size_t> group;
  for (std::size_t j = 0; j < joints.size(); ++j)
    if (choice[j] != kAsTold && joints[j].readings[static_cast<std::size_t>(choice[j])].unit == unit)
      group.push_back(j);
  return group;
}

/// A unit is that of a log: joints whose torques do not care join the unit of most.
Result<Done> settle_undecided(const ReadingSearch& search, const std::vector<ReadJoint>& joints,
                              ReadingChoice& choice) {
  for (const bool is_angle : {false, true}) {
    std::vector<std::string> units;
    for (std::size_t j = 0; j < joints.size(); ++j)
      if (choice[j] != kAsTold && joints[j].is_angle == is_angle)
        units.push_back(joints[j].readings[static_cast<std::size_t>(choice[j])].unit);
    if (units.empty()) continue;
    const std::string most = *std::max_element(units.begin(), units.end(), [&](const auto& a, const auto& b) {
      return std::count(units.begin(), units.end(), a) < std::count(units.begin(), units.end(), b);
    });
    for (std::size_t j = 0; j < joints.size(); ++j) {
      const int shared = joints[j].index_of(most);
      if (joints[j].is_angle != is_angle || shared == kAsTold || shared == choice[j]) continue;
      if (choice[j] != kAsTold && joints[j].readings[static_cast<std::size_t>(choice[j])].unit == most)
        continue;
      ReadingChoice other = choice;
      other[j] = shared;
      HEFT_TRY(now, search.score_of(choice));
      HEFT_TRY(then, search.score_of(other));
      if (then < now + kUndecided) choice = other;
    }
  }
  return Done{};
}

/// What is found is taken for granted by all that follows.
void take_over(LogFacts& log, int coordinate, const PositionReading& reading) {
  const std::string& name = log.robot.coordinates[static_cast<std::size_t>(coordinate)].name;
  if (std::string(reading.rule) == "position-in-degrees")
    log.options.log.angle_unit.set(name, coordinate, "deg");
  else
    log.options.log.position_scale.set(name, coordinate, reading.scale);
  if (reading.offset() != 0) log.options.log.position_offset.set(name, coordinate, reading.offset());
  auto position = log.raw.values.col(log.raw.columns.first_position + coordinate);
  position = (position * reading.scale - reading.offset()).eval();
  if (log.raw.has_velocity) log.raw.values.col(log.raw.columns.first_velocity + coordinate) *= reading.scale;
}

bool is_degrees(const FoundReading& found) {
  return std::string(found.reading.rule) == "position-in-degrees";
}

/// Degrees within limits, alone or beside gears, are told by other rules; these know no joints without limits.
bool are_degrees_alone(const LogFacts& log) {
  int num_found = 0;
  bool has_endless = false;
  for (std::size_t k = 0; k < log.readings.size(); ++k) {
    if (!log.readings[k]) continue;
    if (!is_degrees(*log.readings[k])) return false;
    ++num_found;
    has_endless = has_endless || !std::isfinite(log.robot.coordinates[k].upper);
  }
  return !has_endless || num_found < 2;
}

/// A gear's ratio may look like the percent of one joint, hardly of two.
bool is_lonely_percent(const std::vector<ReadJoint>& joints, const ReadingChoice& choice, std::size_t j) {
  const auto rule = [&](std::size_t k) {
    return choice[k] == kAsTold ? std::string()
                                : joints[k].readings[static_cast<std::size_t>(choice[k])].rule;
  };
  if (rule(j) != "position-percent") return false;
  int count = 0;
  for (std::size_t k = 0; k < joints.size(); ++k) count += rule(k) == "position-percent";
  return count < 2;
}

Result<Done> judge(LogFacts& log, const ReadingSearch& search, const std::vector<ReadJoint>& joints) {
  HEFT_TRY(choice, search.best());
  HEFT_CHECK(settle_undecided(search, joints, choice));
  for (std::size_t j = 0; j < joints.size(); ++j) {
    if (choice[j] == kAsTold || log.readings[static_cast<std::size_t>(joints[j].coordinate)]) continue;
    if (is_lonely_percent(joints, choice, j)) continue;
    const std::string& unit = joints[j].readings[static_cast<std::size_t>(choice[j])].unit;
    const std::vector<std::size_t> group = sharing(joints, choice, unit);
    Claim claim(search, joints, choice, group);
    HEFT_TRY(holds, claim.holds());
    HEFT_TRY(gain, claim.gain());
    // an angle far beyond its limits may be a motor's, a travel is of another unit
    if (!holds && (joints[j].is_angle || !claim.is_only_kind())) continue;
    for (const std::size_t k : group)
      log.readings[static_cast<std::size_t>(joints[k].coordinate)] = FoundReading{claim.of(k), true, gain};
  }
  return Done{};
}

/// Whole numbers far beyond the limits are ticks, of whatever size.
void add_unmeasured_ticks(LogFacts& log, const std::vector<ReadJoint>& joints) {
  for (const ReadJoint& joint : joints) {
    auto& found = log.readings[static_cast<std::size_t>(joint.coordinate)];
    const bool is_ticks = joint.is_beyond && joint.is_whole && !found &&
                          std::all_of(joint.readings.begin(), joint.readings.end(),
                                      [](const PositionReading& one) { return one.is_whole; });
    if (is_ticks) found = FoundReading{{.rule = "position-ticks", .unit = "ticks of an encoder"}, false, 0};
  }
}

}  // namespace

Result<Done> find_position_readings(LogFacts& log, const Log& file, bool by_torque_alone,
                                    const Progress& progress) {
  log.readings.assign(log.robot.coordinates.size(), {});
  if (log.robot.floating_base) return Done{};
  std::vector<ReadJoint> joints;
  for (const JointLog& one : log.joints)
    if (ReadJoint joint = joint_of(log, one, by_torque_alone); joint.is_beyond || !joint.readings.empty())
      joints.push_back(std::move(joint));
  if (joints.empty()) return Done{};
  auto clean = condition_for_tests(file, log, progress);
  if (!clean && clean.error().is_stop) return clean.error();
  auto test = clean ? TorqueTest::make(log, clean->samples) : Result<TorqueTest>(clean.error());
  if (!test) return Done{};  // the rules that follow say why
  const ReadingSearch search(*test, joints);
  HEFT_CHECK(judge(log, search, joints));
  if (are_degrees_alone(log)) log.readings.assign(log.robot.coordinates.size(), {});
  add_unmeasured_ticks(log, joints);
  for (const ReadJoint& joint : joints)
    if (const auto& found = log.readings[static_cast<std::size_t>(joint.coordinate)];
        found && found->is_measured)
      take_over(log, joint.coordinate, found->reading);
  return Done{};
}

namespace {

/// All options that were found, beside those in force.
std::string yaml_of(const LogFacts& log, const LogFormat& in_force) {
  std::vector<std::string> entries;
  const LogFormat& now = log.options.log;
  const auto add = [&](const char* key, double usual, const PerJoint& before, const PerJoint& after) {
    if (after == before) return;
    entries.push_back(
        option_entry({"log", key, usual}, after, log.robot, [](int, double value) { return value; }));
  };
  add("position_scale", 1, in_force.position_scale, now.position_scale);
  add("position_offset", 0, in_force.position_offset, now.position_offset);
  std::string degrees;
  for (int k = 0; k < log.robot.num_coordinates(); ++k)
    if (const std::string& name = log.robot.coordinates[static_cast<std::size_t>(k)].name;
        now.angle_unit.of(name, k) == "deg")
      degrees += fmt::format("{}{}: deg", degrees.empty() ? "" : ", ", yaml_quoted(name));
  if (!(now.angle_unit == in_force.angle_unit)) entries.push_back(fmt::format("angle_unit: {{{}}}", degrees));
  return entries.empty() ? "" : section_yaml("log", entries);
}

/// Of the joints that share a unit.
struct SharedUnit {
  FoundReading found;
  std::vector<int> coordinates;
  std::vector<std::string> columns, joints, reversed;
};

std::vector<SharedUnit> shared_units(const LogFacts& log) {
  std::vector<SharedUnit> units;
  for (int k = 0; k < log.robot.num_coordinates(); ++k) {
    const auto& found = log.readings[static_cast<std::size_t>(k)];
    if (!found) continue;
    auto unit = std::find_if(units.begin(), units.end(), [&](const SharedUnit& one) {
      return one.found.reading.unit == found->reading.unit;
    });
    if (unit == units.end()) unit = units.insert(units.end(), {.found = *found});
    const std::string& joint = log.robot.coordinates[static_cast<std::size_t>(k)].name;
    unit->coordinates.push_back(k);
    unit->columns.push_back(log.raw.name(log.raw.columns.first_position + k));
    unit->joints.push_back(joint);
    if (found->reading.scale < 0) unit->reversed.push_back(joint);
  }
  return units;
}

std::string words_of(const SharedUnit& unit) {
  std::string words = fmt::format("the positions are {}", unit.found.reading.unit);
  if (!unit.reversed.empty())
    words += fmt::format(", counted against the axis by {}", fmt::join(unit.reversed, ", "));
  if (unit.found.log_gain > kGainBesideNumbers)
    words += fmt::format(
        "; read as such, the share of the torques that the URDF leaves falls by a factor of {:.2g} over all "
        "joints",
        std::exp(unit.found.log_gain));
  return words;
}

std::function<void(Samples&)> undo_of(const LogFacts& log, const SharedUnit& unit) {
  std::vector<std::function<void(Samples&)>> all;
  for (const int k : unit.coordinates)
    all.push_back(read_as(k, log.readings[static_cast<std::size_t>(k)]->reading));
  return [all](Samples& samples) {
    for (const auto& one : all) one(samples);
  };
}

}  // namespace

std::vector<Finding> readings_found(const LogFacts& log, const LogFormat& in_force, const std::string& path) {
  const std::string yaml = yaml_of(log, in_force);
  std::vector<Finding> findings;
  for (const SharedUnit& unit : shared_units(log)) {
    Finding finding{.name = unit.found.reading.rule,
                    .severity = Severity::error,
                    .subject = fmt::format("{}", fmt::join(unit.columns, ", ")),
                    .where = path + ":1",
                    .what = words_of(unit),
                    .measure = unit.found.reading.scale,
                    .unit = "1"};
    if (unit.joints.size() == 1) finding.joint = unit.joints.front();
    if (unit.found.is_measured) {
      finding.remedy = "put into the configuration: " + yaml.substr(0, yaml.find('\n'));
      finding.fix = {yaml, undo_of(log, unit)};
    } else {
      finding.what += ": whole numbers far beyond the limits, whose size the torques do not tell";
      finding.remedy =
          "set log.position_scale to the radians (or meters) per tick, and log.position_offset to that times "
          "the tick "
          "of the joint's zero";
    }
    findings.push_back(std::move(finding));
  }
  return findings;
}

}  // namespace heft::check
