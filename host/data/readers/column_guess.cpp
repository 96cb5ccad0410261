// Guesses the meaning of columns from their names.
#include "readers/column_guess.hpp"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "column_names.hpp"

namespace heft {

namespace {

ColumnRole role_of(const Words& words) {
  if (holds(words, {"tcp", "cartesian", "pose", "temperature", "temp", "voltage", "tool", "ee",
                    "limit", "mode", "status"}))
    return ColumnRole::other;
  if (holds(words, {"qdd", "ddq", "acc", "accel", "acceleration", "accelerations", "qddot", "qpp"}))
    return ColumnRole::acceleration;
  if (holds(words, {"qd", "dq", "vel", "velocity", "velocities", "qdot", "speed", "omega", "qp",
                    "thetadot"}))
    return ColumnRole::velocity;
  if (holds(words, {"tau", "torque", "torques", "effort", "efforts", "eff", "trq", "moment",
                    "moments", "tq", "trqs", "current", "currents", "force"}))
    return ColumnRole::torque;
  if (holds(words, {"q", "pos", "position", "positions", "angle", "angles", "theta", "phi",
                    "encoder", "enc", "qpos"}))
    return ColumnRole::position;
  return ColumnRole::other;
}

constexpr int kNotMeasured = 4;  ///< penalty of a desired or computed signal: "ddq_d"

/// Penalty of a column that is less likely a measured signal.
int doubt_of(const Words& words) {
  int doubt = 0;
  if (holds(words,
            {"target", "desired", "des", "command", "commanded", "cmd", "ref", "reference",
             "setpoint", "goal", "d", "error", "err", "ff", "feedforward", "model", "control"}))
    doubt += kNotMeasured;
  if (holds(words, {"current", "currents", "force"})) doubt += 2;
  if (holds(words, {"motor", "rotor", "ext", "external"})) doubt += 1;
  return doubt;
}

const std::initializer_list<std::string_view> kNanoseconds = {"nsec", "nsecs", "nanosec",
                                                              "nanosecs", "nanoseconds"};

/// Columns with a common stem that differ by the joint.
struct Family {
  ColumnRole role = ColumnRole::other;
  int doubt = 0;
  std::vector<std::pair<int, std::size_t>> by_joint, by_number;  ///< joint or number, column
};

/// Column of every joint; empty unless all have one.
std::vector<std::size_t> columns_of(const Family& family, std::size_t num_joints) {
  std::vector<std::size_t> columns;
  auto members = family.by_joint.size() == num_joints ? family.by_joint : family.by_number;
  if (members.size() != num_joints || num_joints == 0) return {};
  std::sort(members.begin(), members.end());
  for (std::size_t k = 0; k < members.size(); ++k) {
    if (k > 0 && members[k].first != members[k - 1].first + 1) return {};
    columns.push_back(members[k].second);
  }
  return columns;
}

/// Numbers of rows, frames and messages grow as a clock does.
bool counts_rows(const Words& words) {
  if (holds(words, {"index", "idx", "seq", "unnamed"})) return true;
  return holds(words, {"sequence", "counter", "count", "frame", "row", "id", "sample", "samples",
                       "number", "iteration", "iter", "step"}) &&
         !holds(words, {"t", "time", "times", "timestamp", "stamp", "sec", "secs", "seconds",
                        "clock", "nsec", "nsecs", "nanosec", "nanosecs", "nanoseconds"});
}

/// What a name says about clocks: the smaller the rank, the more likely it is the time.
struct ClockName {
  static constexpr int kNoTime = 1000;
  int rank = kNoTime;
  bool is_nanoseconds = false;
};

/// Ranks below 10 are those of "t".
ClockName clock_name(const Parts& parts) {
  ClockName name;
  if (parts.joint >= 0 || counts_rows(parts.words)) return name;
  name.is_nanoseconds = holds(parts.words, kNanoseconds);
  if (name.is_nanoseconds) return name;
  const int kind =
      holds(parts.words, {"t"})                                                             ? 0
      : holds(parts.words, {"time", "times"})                                               ? 1
      : holds(parts.words, {"timestamp", "stamp"})                                          ? 2
      : holds(parts.words, {"sec", "secs", "seconds", "clock", "date", "datetime", "zeit"}) ? 3
                                                                                            : -1;
  if (kind >= 0) name.rank = 10 * kind + static_cast<int>(parts.words.size());
  return name;
}

void guess_time(const std::vector<std::string>& names, const std::vector<ClockName>& clocks,
                ColumnGuesses& guesses) {
  const auto unit_of = [&](std::size_t column) { return take_apart(names[column], {}).unit; };
  std::optional<std::size_t> best;
  for (std::size_t k = 0; k < names.size(); ++k)
    if (guesses[k].role == ColumnRole::other && clocks[k].rank < ClockName::kNoTime &&
        (!best || clocks[k].rank < clocks[*best].rank))
      best = k;
  // two parts of one stamp belong together, and never to another clock
  const auto pairs = stamp_pairs(names);
  const auto of_best =
      std::find_if(pairs.begin(), pairs.end(), [&](const auto& one) { return one.first == best; });
  const bool is_plain = best && clocks[*best].rank < 10;  // "t"
  if (!is_plain && !pairs.empty()) {
    const auto& [seconds, nanoseconds] = of_best != pairs.end() ? *of_best : pairs.front();
    guesses[seconds] = {ColumnRole::time, -1, ""};
    guesses[nanoseconds].role = ColumnRole::nanoseconds;
    return;
  }
  // nanoseconds alone are the time
  for (std::size_t k = 0; k < names.size() && !best; ++k)
    if (guesses[k].role == ColumnRole::other && clocks[k].is_nanoseconds) {
      guesses[k] = {ColumnRole::time, -1, "ns"};
      return;
    }
  if (best) guesses[*best] = {ColumnRole::time, -1, unit_of(*best)};
}

}  // namespace

bool is_pattern(const std::string& name) {
  return name.find("{joint}") != std::string::npos || name.find("{i}") != std::string::npos ||
         name.find("{i+") != std::string::npos || name.find("{i-") != std::string::npos;
}

ColumnRole role_of(const std::string& name) {
  return role_of(take_apart(name, {}).words);
}

std::pair<std::string, std::optional<int>> stem_and_number(const std::string& name) {
  const Parts parts = take_apart(name, {});
  return {parts.stem, parts.number};
}

bool counts_rows(const std::string& name) {
  return counts_rows(take_apart(name, {}).words) || name.starts_with("Unnamed") || name == "axis1";
}

std::vector<std::pair<std::size_t, std::size_t>> stamp_pairs(
    const std::vector<std::string>& names) {
  constexpr std::array<std::string_view, 3> kSeconds = {"secs", "sec", "seconds"};
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  std::unordered_map<std::string_view, std::size_t> columns;  // filled at the first nanoseconds
  for (std::size_t k = 0; k < names.size(); ++k)
    for (const std::string_view part : kNanoseconds) {
      if (!names[k].ends_with(part)) continue;
      if (columns.empty())
        for (std::size_t column = 0; column < names.size(); ++column)
          columns.emplace(names[column], column);
      const std::string stem = names[k].substr(0, names[k].size() - part.size());
      for (const std::string_view seconds : kSeconds)
        if (const auto beside = columns.find(stem + std::string(seconds)); beside != columns.end())
          pairs.emplace_back(beside->second, k);
    }
  return pairs;
}

namespace {

/// `joints`: the names by which columns may call each joint.
ColumnGuesses guess_by(const std::vector<std::string>& names,
                       const std::vector<std::vector<Words>>& joints) {
  ColumnGuesses guesses(names.size());
  std::vector<ClockName> clocks(names.size());  // of all names; parts are too large to be kept
  std::map<std::string, Family> families;
  for (std::size_t k = 0; k < names.size(); ++k) {
    const Parts one = take_apart(names[k], joints);
    clocks[k] = clock_name(one);
    const ColumnRole role = role_of(one.words);
    if (role == ColumnRole::other || is_pattern(names[k])) continue;
    Family& family = families[one.stem];
    family.role = role;
    family.doubt = doubt_of(one.words);
    if (one.joint >= 0)
      family.by_joint.emplace_back(one.joint, k);
    else
      family.by_number.emplace_back(one.number.value_or(0), k);
  }
  for (const ColumnRole role :
       {ColumnRole::position, ColumnRole::velocity, ColumnRole::acceleration, ColumnRole::torque}) {
    const bool is_optional = role == ColumnRole::velocity || role == ColumnRole::acceleration;
    std::vector<std::size_t> chosen;
    const Family* best = nullptr;
    for (const auto& [stem, family] : families)
      if (const auto columns = columns_of(family, joints.size());
          family.role == role && !columns.empty() && (!best || family.doubt < best->doubt) &&
          !(is_optional && family.doubt >= kNotMeasured)) {
        best = &family;
        chosen = columns;
      }
    for (std::size_t joint = 0; joint < chosen.size(); ++joint)
      guesses[chosen[joint]] = {role, static_cast<int>(joint),
                                take_apart(names[chosen[joint]], joints).unit};
  }
  guess_time(names, clocks, guesses);
  return guesses;
}

std::vector<std::string> joint_names(const Robot& robot) {
  std::vector<std::string> names;
  for (const Coordinate& joint : robot.coordinates) names.push_back(joint.name);
  return names;
}

/// A name without one of its words: without the quantity, it names the joint.
using Rest = std::pair<Words, std::optional<int>>;

std::vector<Rest> rests_of(const Parts& parts) {
  std::vector<Rest> rests;
  for (std::size_t k = 0; k < parts.words.size(); ++k) {
    Words rest = parts.words;
    rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(k));
    if (!rest.empty() || parts.number) rests.emplace_back(std::move(rest), parts.number);
  }
  return rests;
}

}  // namespace

ColumnGuesses guess_columns(const std::vector<std::string>& names, const Robot& robot) {
  const auto is_complete = [&](const ColumnGuesses& guesses) {
    return has_all(guesses, ColumnRole::position, robot) &&
           has_all(guesses, ColumnRole::torque, robot);
  };
  std::vector<std::vector<Words>> joints;
  for (const std::string& joint : joint_names(robot)) joints.push_back(names_of(joint));
  ColumnGuesses guesses = guess_by(names, joints);
  if (is_complete(guesses)) return guesses;
  ColumnGuesses by_short_names = guess_by(names, short_names_of(joint_names(robot)));
  return is_complete(by_short_names) ? by_short_names : guesses;
}

std::vector<std::string> joints_without_columns(const std::vector<std::string>& names,
                                                const Robot& robot) {
  const std::vector<std::string> joints = joint_names(robot);
  const std::vector<std::vector<Words>> short_names = short_names_of(joints);
  std::map<ColumnRole, std::map<std::string, std::set<int>>> found;  // by stem
  for (const std::string& name : names) {
    const Parts parts = take_apart(name, short_names);
    if (parts.joint >= 0 && !is_pattern(name))
      found[role_of(parts.words)][parts.stem].insert(parts.joint);
  }
  for (const auto& [stem, with_position] : found[ColumnRole::position]) {
    const bool are_most =
        2 * with_position.size() > joints.size() && with_position.size() < joints.size();
    const auto& torques = found[ColumnRole::torque];
    const bool have_torques = std::any_of(torques.begin(), torques.end(), [&](const auto& family) {
      return family.second == with_position;
    });
    if (!are_most || !have_torques) continue;
    std::vector<std::string> without;
    for (std::size_t k = 0; k < joints.size(); ++k)
      if (!with_position.contains(static_cast<int>(k))) without.push_back(joints[k]);
    return without;
  }
  return {};
}

std::vector<std::pair<std::string, std::string>> columns_of_other_joints(
    const std::vector<std::string>& names, const Robot& robot) {
  const std::vector<std::vector<Words>> short_names = short_names_of(joint_names(robot));
  std::map<Rest, std::string> torques;
  std::vector<std::pair<std::string, Parts>> positions;
  for (const std::string& name : names) {
    Parts parts = take_apart(name, short_names);
    if (parts.joint >= 0 || is_pattern(name)) continue;
    const ColumnRole role = role_of(parts.words);
    if (role == ColumnRole::torque)
      for (Rest& rest : rests_of(parts)) torques.emplace(std::move(rest), name);
    if (role == ColumnRole::position) positions.emplace_back(name, std::move(parts));
  }
  std::vector<std::pair<std::string, std::string>> pairs;
  for (const auto& [name, parts] : positions)
    for (const Rest& rest : rests_of(parts))
      if (const auto torque = torques.find(rest); torque != torques.end()) {
        pairs.emplace_back(name, torque->second);
        break;
      }
  return pairs;
}

bool has_all(const ColumnGuesses& guesses, ColumnRole role, const Robot& robot) {
  return robot.num_coordinates() > 0 &&
         std::count_if(guesses.begin(), guesses.end(), [&](const ColumnGuess& guess) {
           return guess.role == role;
         }) == robot.num_coordinates();
}

}  // namespace heft
