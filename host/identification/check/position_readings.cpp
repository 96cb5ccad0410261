// Finds units of positions other than radians and meters: which units the values of a joint allow
// (readable_joint.hpp), which of them fit the torques best (reading_search.hpp), and which have
// sufficient evidence (unit_hypothesis.hpp).
#include "position_readings.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "unit_hypothesis.hpp"

namespace heft::check {

namespace {

/// A unit applies to a whole log: joints with uninformative torques take the unit of the majority.
Result<Done> settle_undecided(const ReadingSearch& search, const std::vector<ReadJoint>& joints,
                              ReadingChoice& choice) {
  for (const bool is_angle : {false, true}) {
    std::vector<std::string> units;
    for (std::size_t j = 0; j < joints.size(); ++j)
      if (choice[j] != kAsTold && joints[j].is_angle == is_angle)
        units.push_back(joints[j].readings[static_cast<std::size_t>(choice[j])].unit);
    if (units.empty()) continue;
    const std::string most =
        *std::max_element(units.begin(), units.end(), [&](const auto& a, const auto& b) {
          return std::count(units.begin(), units.end(), a) <
                 std::count(units.begin(), units.end(), b);
        });
    for (std::size_t j = 0; j < joints.size(); ++j) {
      const int shared = joints[j].index_of(most);
      if (joints[j].is_angle != is_angle || shared == kAsTold || shared == choice[j]) continue;
      if (choice[j] != kAsTold &&
          joints[j].readings[static_cast<std::size_t>(choice[j])].unit == most)
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

/// Applies the findings for all later rules.
void take_over(LogFacts& log, int coordinate, const PositionReading& reading) {
  const std::string& name = log.robot.coordinates[static_cast<std::size_t>(coordinate)].name;
  if (std::string(reading.rule) == "position-in-degrees")
    log.options.log.angle_unit.set(name, coordinate, "deg");
  else
    log.options.log.position_scale.set(name, coordinate, reading.scale);
  if (reading.offset() != 0)
    log.options.log.position_offset.set(name, coordinate, reading.offset());
  auto position = log.raw.values.col(log.raw.columns.first_position + coordinate);
  position = (position * reading.scale - reading.offset()).eval();
  if (log.raw.has_velocity)
    log.raw.values.col(log.raw.columns.first_velocity + coordinate) *= reading.scale;
  if (log.raw.columns.first_acceleration >= 0)
    log.raw.values.col(log.raw.columns.first_acceleration + coordinate) *= reading.scale;
}

bool is_degrees(const FoundReading& found) {
  return std::string(found.reading.rule) == "position-in-degrees";
}

/// Other rules report degrees within limits, alone or with gears, but not for joints without
/// limits.
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

/// A log has one unit of angles: if several joints are in degrees, so are those whose limits show
/// it.
void share_degrees(LogFacts& log) {
  const auto num_found =
      std::count_if(log.readings.begin(), log.readings.end(),
                    [](const auto& found) { return found && is_degrees(*found); });
  if (num_found < 2) return;
  const FoundReading degrees =
      **std::find_if(log.readings.begin(), log.readings.end(),
                     [](const auto& found) { return found && is_degrees(*found); });
  for (const JointLog& joint : log.joints)
    if (auto& found = log.readings[static_cast<std::size_t>(joint.joint)];
        !found && is_in_degrees(log, joint))
      found = degrees;
}

/// A gear's ratio may look like the percent of one joint, hardly of two.
bool is_lonely_percent(const std::vector<ReadJoint>& joints, const ReadingChoice& choice,
                       std::size_t j) {
  const auto rule = [&](std::size_t k) {
    return choice[k] == kAsTold ? std::string()
                                : joints[k].readings[static_cast<std::size_t>(choice[k])].rule;
  };
  if (rule(j) != "position-percent") return false;
  int count = 0;
  for (std::size_t k = 0; k < joints.size(); ++k) count += rule(k) == "position-percent";
  return count < 2;
}

/// Returns the unit in which the motion of a slide needs torques of the measured size, preferably a
/// metric one, since masses in the file are wrong as well. Beside its weight, which is the same in
/// every unit, the fit hardly tells them apart. Empty if the torque does not follow the motion, or
/// if its size agrees with no unit.
Result<std::optional<PositionReading>> unit_by_size(const ReadingSearch& search,
                                                    const std::vector<ReadJoint>& joints,
                                                    ReadingChoice choice, std::size_t j) {
  constexpr double kAgrees = 0.85;  // correlation
  constexpr double kMetric = 0.3;   // in the logarithm of the size
  double least = std::log(2.0);
  std::optional<PositionReading> best;
  for (int k = 0; k < std::ssize(joints[j].readings); ++k) {
    const PositionReading& reading = joints[j].readings[static_cast<std::size_t>(k)];
    if (reading.rule == std::string("position-percent")) continue;  // hardly of one joint alone
    choice[j] = k;
    HEFT_TRY(agreements, search.agreements_of(choice));
    const Agreement& own = agreements[static_cast<std::size_t>(joints[j].channel)];
    if (!own.known || !(own.correlation > kAgrees) || !(own.scale > 0)) continue;
    const bool is_metric = reading.unit == "millimeters" || reading.unit == "centimeters";
    if (const double away = std::abs(std::log(own.scale)) + (is_metric ? 0 : kMetric);
        away < least) {
      least = away;
      best = reading;
    }
  }
  return best;
}

Result<Done> judge(LogFacts& log, const ReadingSearch& search,
                   const std::vector<ReadJoint>& joints) {
  HEFT_TRY(choice, search.best());
  HEFT_CHECK(settle_undecided(search, joints, choice));
  for (std::size_t j = 0; j < joints.size(); ++j) {
    if (choice[j] == kAsTold || log.readings[static_cast<std::size_t>(joints[j].coordinate)])
      continue;
    const std::string& unit = joints[j].readings[static_cast<std::size_t>(choice[j])].unit;
    const std::vector<std::size_t> group = sharing(joints, choice, unit);
    UnitHypothesis hypothesis(search, joints, choice, group);
    HEFT_TRY(holds, hypothesis.holds());
    HEFT_TRY(gain, hypothesis.gain());
    // an angle far beyond its limits may be a motor's; a travel has another unit
    const bool is_certain = holds || (!joints[j].is_angle && hypothesis.is_only_kind());
    if (!is_certain || is_lonely_percent(joints, choice, j)) {
      if (joints[j].is_angle || !joints[j].is_beyond) continue;
      HEFT_TRY(by_size, unit_by_size(search, joints, choice, j));
      if (by_size)
        log.readings[static_cast<std::size_t>(joints[j].coordinate)] =
            FoundReading{*by_size, true, 0};
      continue;
    }
    for (const std::size_t k : group)
      log.readings[static_cast<std::size_t>(joints[k].coordinate)] =
          FoundReading{hypothesis.of(k), true, gain};
  }
  return Done{};
}

/// Integers far beyond the limits are ticks of unknown size.
void add_unmeasured_ticks(LogFacts& log, const std::vector<ReadJoint>& joints) {
  for (const ReadJoint& joint : joints) {
    auto& found = log.readings[static_cast<std::size_t>(joint.coordinate)];
    const bool is_ticks = joint.is_beyond && joint.is_whole && !found &&
                          std::all_of(joint.readings.begin(), joint.readings.end(),
                                      [](const PositionReading& one) { return one.is_whole; });
    if (is_ticks)
      found = FoundReading{{.rule = "position-ticks", .unit = "ticks of an encoder"}, false, 0};
  }
}

}  // namespace

Result<Done> find_position_readings(LogFacts& log, const Log& file, bool by_torque_alone,
                                    const Progress& progress) {
  log.readings.assign(log.robot.coordinates.size(), {});
  if (log.robot.floating_base) return Done{};
  std::vector<ReadJoint> joints;
  for (const JointLog& one : log.joints)
    if (ReadJoint joint = readable_joint(log, one, by_torque_alone);
        joint.is_beyond || !joint.readings.empty())
      joints.push_back(std::move(joint));
  if (joints.empty()) return Done{};
  auto clean = condition_for_tests(file, log, progress);
  if (!clean && clean.error().is_stop) return clean.error();
  auto test = clean ? TorqueTest::make(log, clean->samples) : Result<TorqueTest>(clean.error());
  if (!test) return Done{};  // later rules report the reason
  const ReadingSearch search(*test, joints);
  HEFT_CHECK(judge(log, search, joints));
  if (are_degrees_alone(log)) log.readings.assign(log.robot.coordinates.size(), {});
  share_degrees(log);
  add_unmeasured_ticks(log, joints);
  for (const ReadJoint& joint : joints)
    if (const auto& found = log.readings[static_cast<std::size_t>(joint.coordinate)];
        found && found->is_measured)
      take_over(log, joint.coordinate, found->reading);
  return Done{};
}

}  // namespace heft::check
