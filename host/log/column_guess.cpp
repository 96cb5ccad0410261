#include "log/column_guess.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

namespace heft {

namespace {

using Words = std::vector<std::string>;

bool holds(const Words& words, const std::set<std::string_view>& wanted) {
  return std::any_of(words.begin(), words.end(),
                     [&](const std::string& word) { return wanted.contains(word); });
}

/// Lower-case runs of letters and of digits: "actual_qd_0" is actual, qd, 0.
Words words_of(const std::string& name) {
  Words words;
  int kind = 0;  // of the character before: 1 letter, 2 digit
  bool was_lower = false;
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    const int now = std::isalpha(byte) ? 1 : std::isdigit(byte) ? 2 : 0;
    const bool humps = kind == 1 && now == 1 && was_lower && std::isupper(byte);
    if (now != 0 && (now != kind || humps)) words.emplace_back();
    if (now != 0) words.back() += static_cast<char>(std::tolower(byte));
    was_lower = std::islower(byte) != 0;
    kind = now;
  }
  return words;
}

bool is_number(const std::string& word) {
  return !word.empty() && std::isdigit(static_cast<unsigned char>(word.front()));
}

constexpr std::size_t kMostWords = 64;  ///< of a name; what is longer is nobody's column

/// A name taken apart: what is left without the joint, the joint or a number in its place.
struct Parts {
  std::string stem;  ///< with '#' for the joint
  Words words;       ///< of the stem, without units
  std::string unit;
  int joint = -1;             ///< by its name
  std::optional<int> number;  ///< else: the last one in the name
};

/// Where the words of a joint's name stand in those of a column's; none if they do not.
std::optional<std::size_t> find_words(const Words& all, const Words& part) {
  if (part.empty()) return {};
  const auto at = std::search(all.begin(), all.end(), part.begin(), part.end());
  return at == all.end() ? std::nullopt : std::optional(static_cast<std::size_t>(at - all.begin()));
}

/// A joint's name, and without the word joint.
std::vector<Words> names_of(const std::string& joint) {
  std::vector<Words> names = {words_of(joint)};
  Words shorter = names.front();
  std::erase(shorter, "joint");
  const bool says_something =
      std::any_of(shorter.begin(), shorter.end(), [](const std::string& w) { return !is_number(w); });
  if (shorter != names.front() && says_something) names.push_back(shorter);
  return names;
}

const std::set<std::string_view> kUnits = {"deg", "degree", "degrees", "rad", "nm",   "nmm", "ms",
                                           "us",  "ns",     "mnm",     "knm", "msec", "usec"};

Parts take_apart(const std::string& name, const std::vector<std::vector<Words>>& joints) {
  Parts parts;
  Words words = words_of(name);
  if (words.size() > kMostWords) words.resize(kMostWords);
  std::size_t longest = 0, begin = 0;
  for (std::size_t k = 0; k < joints.size(); ++k)
    for (const Words& joint : joints[k])
      if (const auto at = find_words(words, joint); at && joint.size() > longest) {
        longest = joint.size();
        begin = *at;
        parts.joint = static_cast<int>(k);
      }
  const auto first = words.begin() + static_cast<std::ptrdiff_t>(begin);
  if (parts.joint >= 0) {
    words.erase(first, first + static_cast<std::ptrdiff_t>(longest));
    words.insert(words.begin() + static_cast<std::ptrdiff_t>(begin), "#");
  } else if (const auto last = std::find_if(words.rbegin(), words.rend(), is_number); last != words.rend()) {
    constexpr std::size_t kMostDigits = 6;
    if (last->size() <= kMostDigits) parts.number = std::stoi(*last);
    *last = "#";
  }
  for (const std::string& word : words) {
    parts.stem += word + " ";
    if (kUnits.contains(word))
      parts.unit = word;
    else if (word != "#")
      parts.words.push_back(word);
  }
  return parts;
}

ColumnRole role_of(const Words& words) {
  if (holds(words, {"tcp", "cartesian", "pose", "temperature", "temp", "voltage", "tool", "ee", "limit",
                    "mode", "status"}))
    return ColumnRole::other;
  if (holds(words, {"qdd", "ddq", "acc", "accel", "acceleration", "accelerations", "qddot", "qpp"}))
    return ColumnRole::acceleration;
  if (holds(words, {"qd", "dq", "vel", "velocity", "velocities", "qdot", "speed", "omega", "qp", "thetadot"}))
    return ColumnRole::velocity;
  if (holds(words, {"tau", "torque", "torques", "effort", "efforts", "eff", "trq", "moment", "moments", "tq",
                    "trqs", "current", "currents", "force"}))
    return ColumnRole::torque;
  if (holds(words, {"q", "pos", "position", "positions", "angle", "angles", "theta", "phi", "encoder", "enc",
                    "qpos"}))
    return ColumnRole::position;
  return ColumnRole::other;
}

/// How much less likely a measured signal of its kind.
int doubt_of(const Words& words) {
  int doubt = 0;
  if (holds(words, {"target", "desired", "des", "command", "commanded", "cmd", "ref", "reference", "setpoint",
                    "goal", "error", "err", "ff", "feedforward", "model", "control"}))
    doubt += 4;
  if (holds(words, {"current", "currents", "force"})) doubt += 2;
  if (holds(words, {"motor", "rotor", "ext", "external"})) doubt += 1;
  return doubt;
}

/// Columns of one stem, which differ by the joint.
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

void guess_time(const std::vector<std::string>& names, const std::vector<Parts>& parts,
                ColumnGuesses& guesses) {
  std::optional<std::size_t> best;
  int least = 0;
  for (std::size_t k = 0; k < names.size(); ++k) {
    if (guesses[k].role != ColumnRole::other || parts[k].joint >= 0) continue;
    const Words& words = parts[k].words;
    if (holds(words, {"nsec", "nsecs", "nanosec", "nanosecs", "nanoseconds"})) {
      guesses[k].role = ColumnRole::nanoseconds;
      continue;
    }
    static const std::array<std::set<std::string_view>, 4> kOrder = {
        {{"t"},
         {"time", "times"},
         {"timestamp", "stamp"},
         {"sec", "secs", "seconds", "clock", "date", "datetime", "zeit"}}};
    for (std::size_t rank = 0; rank < kOrder.size(); ++rank)
      if (const int value = static_cast<int>(10 * rank + words.size());
          holds(words, kOrder[rank]) && (!best || value < least)) {
        best = k;
        least = value;
        break;
      }
  }
  if (best) guesses[*best] = {ColumnRole::time, -1, parts[*best].unit};
  // nanoseconds alone are the time
  for (std::size_t k = 0; k < names.size(); ++k)
    if (guesses[k].role == ColumnRole::nanoseconds && !best) {
      guesses[k] = {ColumnRole::time, -1, "ns"};
      best = k;
    }
}

const char* words_of(ColumnRole role) {
  switch (role) {
    case ColumnRole::time:
      return "time";
    case ColumnRole::nanoseconds:
      return "nanoseconds of the time";
    case ColumnRole::position:
      return "position";
    case ColumnRole::velocity:
      return "velocity";
    case ColumnRole::acceleration:
      return "acceleration";
    case ColumnRole::torque:
      return "torque";
    case ColumnRole::other:
      break;
  }
  return "?";
}

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') result += '\\';
    if (byte < 0x20 || byte == 0x7f)
      result += fmt::format("\\x{:02x}", byte);
    else
      result += c;
  }
  return result + "\"";
}

/// The columns as a pattern, where one gives them all.
std::optional<std::string> pattern_of(const std::vector<std::string>& columns, const Robot& robot) {
  const auto fits = [&](const std::string& pattern, const std::string& mark, const auto& of_joint) {
    const std::size_t at = pattern.find(mark);
    for (std::size_t k = 0; k < columns.size(); ++k) {
      std::string name = pattern;
      if (columns[k] != name.replace(at, mark.size(), of_joint(k))) return false;
    }
    return true;
  };
  const std::string& joint = robot.coordinates.front().name;
  const auto name_of = [&](std::size_t k) { return robot.coordinates[k].name; };
  if (const std::size_t at = columns.front().find(joint); at != std::string::npos)
    if (std::string pattern = columns.front();
        fits(pattern.replace(at, joint.size(), "{joint}"), "{joint}", name_of))
      return pattern;
  if (const std::size_t at = columns.front().rfind('1'); at != std::string::npos)
    if (std::string pattern = columns.front();
        fits(pattern.replace(at, 1, "{i}"), "{i}", [](std::size_t k) { return std::to_string(k + 1); }))
      return pattern;
  return {};
}

}  // namespace

bool is_pattern(const std::string& name) {
  return name.find("{joint}") != std::string::npos || name.find("{i}") != std::string::npos ||
         name.find("{i+") != std::string::npos;
}

ColumnGuesses guess_columns(const std::vector<std::string>& names, const Robot& robot) {
  ColumnGuesses guesses(names.size());
  std::vector<std::vector<Words>> joints;
  for (const Coordinate& joint : robot.coordinates) joints.push_back(names_of(joint.name));
  std::vector<Parts> parts;
  std::map<std::string, Family> families;
  for (std::size_t k = 0; k < names.size(); ++k) {
    const Parts& one = parts.emplace_back(take_apart(names[k], joints));
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
    std::vector<std::size_t> chosen;
    const Family* best = nullptr;
    for (const auto& [stem, family] : families)
      if (const auto columns = columns_of(family, joints.size());
          family.role == role && !columns.empty() && (!best || family.doubt < best->doubt)) {
        best = &family;
        chosen = columns;
      }
    for (std::size_t joint = 0; joint < chosen.size(); ++joint)
      guesses[chosen[joint]] = {role, static_cast<int>(joint), parts[chosen[joint]].unit};
  }
  guess_time(names, parts, guesses);
  return guesses;
}

bool has_all(const ColumnGuesses& guesses, ColumnRole role, const Robot& robot) {
  return robot.num_coordinates() > 0 &&
         std::count_if(guesses.begin(), guesses.end(), [&](const ColumnGuess& guess) {
           return guess.role == role;
         }) == robot.num_coordinates();
}

std::string log_section(const std::vector<std::string>& names, const ColumnGuesses& guesses,
                        const Robot& robot, bool header, const std::string& indent) {
  std::string text = indent + "log:\n";
  const auto line = [&](const std::string& key, const std::string& value) {
    text += fmt::format("{}  {}: {}\n", indent, key, value);
  };
  if (!header) line("header", "false");
  std::string seconds, nanoseconds;
  for (std::size_t k = 0; k < names.size(); ++k) {
    if (guesses[k].role == ColumnRole::nanoseconds) nanoseconds = names[k];
    if (guesses[k].role != ColumnRole::time) continue;
    seconds = names[k];
    const std::string unit = guesses[k].unit.substr(0, 2);
    if (unit == "ms" || unit == "us" || unit == "ns") line("time_unit", unit);
  }
  if (!seconds.empty() && !nanoseconds.empty())
    line("time", fmt::format("[{}, {}]", quoted(seconds), quoted(nanoseconds)));
  else if (!seconds.empty())
    line("time", quoted(seconds));
  for (const ColumnRole role :
       {ColumnRole::position, ColumnRole::velocity, ColumnRole::acceleration, ColumnRole::torque}) {
    if (!has_all(guesses, role, robot)) continue;
    std::vector<std::string> columns(static_cast<std::size_t>(robot.num_coordinates()));
    std::string unit;
    for (std::size_t k = 0; k < names.size(); ++k)
      if (guesses[k].role == role) {
        columns[static_cast<std::size_t>(guesses[k].joint)] = names[k];
        unit = guesses[k].unit;
      }
    if (const auto pattern = pattern_of(columns, robot)) {
      line(words_of(role), quoted(*pattern));
    } else {
      std::string list;
      for (const std::string& column : columns) list += (list.empty() ? "" : ", ") + quoted(column);
      line(words_of(role), "[" + list + "]");
    }
    if (role == ColumnRole::position && unit.starts_with("deg")) line("angle_unit", "deg");
    if (role == ColumnRole::torque && (unit == "nmm" || unit == "mnm")) line("torque_scale", "0.001");
    if (role == ColumnRole::torque && unit == "knm") line("torque_scale", "1000");
  }
  return text;
}

std::string guess_words(const ColumnGroup& table, const Robot& robot) {
  constexpr std::size_t kMostShown = 60;
  const ColumnGuesses guesses = guess_columns(table.columns, robot);
  std::string text = "\n  the columns of the file, and what they may be:";
  for (std::size_t k = 0; k < std::min(table.columns.size(), kMostShown); ++k) {
    const ColumnGuess& guess = guesses[k];
    const std::string of =
        guess.joint < 0 ? "" : " of " + robot.coordinates[static_cast<std::size_t>(guess.joint)].name;
    text += fmt::format("\n    {:<24} {}{}", table.columns[k].substr(0, 60), words_of(guess.role), of);
  }
  if (table.columns.size() > kMostShown)
    text += fmt::format("\n    .. and {} more", table.columns.size() - kMostShown);
  const bool has_any = std::any_of(guesses.begin(), guesses.end(),
                                   [](const ColumnGuess& guess) { return guess.role != ColumnRole::other; });
  if (!has_any) return text + "\n  heft check --suggest looks at the numbers, too";
  std::string yaml = log_section(table.columns, guesses, robot, true, "    ");
  while (yaml.ends_with('\n')) yaml.pop_back();
  return text + "\n  to paste into the configuration, once it is right:\n" + yaml;
}

}  // namespace heft
