// Describes the guessed columns in words and as a configuration section.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/readable_text.hpp"
#include "files/yaml_text.hpp"
#include "readers/column_guess.hpp"

namespace heft {

namespace {

const char* name_of(ColumnRole role) {
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

/// The pattern that yields all columns, if there is one.
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
        fits(pattern.replace(at, 1, "{i}"), "{i}",
             [](std::size_t k) { return std::to_string(k + 1); }))
      return pattern;
  return {};
}

}  // namespace

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
    line("time", fmt::format("[{}, {}]", yaml_quoted(seconds), yaml_quoted(nanoseconds)));
  else if (!seconds.empty())
    line("time", yaml_quoted(seconds));
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
      line(name_of(role), yaml_quoted(*pattern));
    } else {
      std::string list;
      for (const std::string& column : columns)
        list += (list.empty() ? "" : ", ") + yaml_quoted(column);
      line(name_of(role), "[" + list + "]");
    }
    if (role == ColumnRole::position && unit.starts_with("deg")) line("angle_unit", "deg");
    if (role == ColumnRole::torque && (unit == "nmm" || unit == "mnm"))
      line("torque_scale", "0.001");
    if (role == ColumnRole::torque && unit == "knm") line("torque_scale", "1000");
  }
  return text;
}

std::string guess_words(const ColumnGroup& table, const Robot& robot) {
  constexpr std::size_t kMaxShown = 60;
  constexpr std::ptrdiff_t kMaxGuessed = 10'000;  ///< longer headers are not those of logs
  const auto first = table.columns.begin();
  const std::vector<std::string> columns(
      first, first + std::min(table.columns.end() - first, kMaxGuessed));
  const ColumnGuesses guesses = guess_columns(columns, robot);
  std::string text = "\n  the columns of the file and their likely meanings:";
  for (std::size_t k = 0; k < std::min(table.columns.size(), kMaxShown); ++k) {
    const ColumnGuess& guess = guesses[k];
    const std::string of =
        guess.joint < 0 ? ""
                        : " of " + robot.coordinates[static_cast<std::size_t>(guess.joint)].name;
    text += fmt::format("\n    {:<24} {}{}", readable(first_of_text(table.columns[k], 60)),
                        name_of(guess.role), of);
  }
  if (table.columns.size() > kMaxShown)
    text += fmt::format("\n    .. and {} more", table.columns.size() - kMaxShown);
  const bool has_any = std::any_of(guesses.begin(), guesses.end(), [](const ColumnGuess& guess) {
    return guess.role != ColumnRole::other && guess.role != ColumnRole::time;
  });
  if (!has_any)
    return text +
           "\n  heft check --suggest FILE.yaml also examines the numbers, and locks joints that the "
           "log lacks";
  std::string yaml = log_section(columns, guesses, robot, true, "    ");
  while (yaml.ends_with('\n')) yaml.pop_back();
  return text + "\n  paste into the configuration after checking it:\n" + yaml;
}

}  // namespace heft
