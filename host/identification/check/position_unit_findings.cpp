// Findings about units of positions, with the options that read the log correctly.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "files/yaml_text.hpp"
#include "readers/option_yaml.hpp"
#include "unit_hypothesis.hpp"

namespace heft::check {

namespace {

/// All options found, merged with the current ones.
std::string yaml_of(const LogFacts& log, const LogFormat& in_force) {
  std::vector<std::string> entries;
  const LogFormat& now = log.options.log;
  const auto add = [&](const char* key, double usual, const PerJoint& before,
                       const PerJoint& after) {
    if (after == before) return;
    entries.push_back(option_entry({"log", key, usual}, after, log.robot,
                                   [](int, double value) { return value; }));
  };
  add("position_scale", 1, in_force.position_scale, now.position_scale);
  add("position_offset", 0, in_force.position_offset, now.position_offset);
  std::string degrees;
  bool are_all = true;
  for (int k = 0; k < log.robot.num_coordinates(); ++k) {
    const Coordinate& joint = log.robot.coordinates[static_cast<std::size_t>(k)];
    if (now.angle_unit.of(joint.name, k) == "deg")
      degrees += fmt::format("{}{}: deg", degrees.empty() ? "" : ", ", yaml_quoted(joint.name));
    else
      are_all = are_all && !joint.is_angle;
  }
  if (!(now.angle_unit == in_force.angle_unit))
    entries.push_back(are_all ? "angle_unit: deg" : fmt::format("angle_unit: {{{}}}", degrees));
  return entries.empty() ? "" : section_yaml("log", entries);
}

/// The finding for the joints that share a unit.
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
    words += fmt::format(", with the opposite sign for {}", fmt::join(unit.reversed, ", "));
  if (unit.found.log_gain > kGainBesideNumbers)
    words += fmt::format(
        "; read this way, the unexplained share of the torques falls by a factor of {:.2g}",
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

std::vector<Finding> readings_found(const LogFacts& log, const LogFormat& in_force,
                                    const std::string& path) {
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
      finding.remedy = "add to the configuration: " + yaml.substr(0, yaml.find('\n'));
      finding.fix = {yaml, undo_of(log, unit)};
    } else {
      finding.what +=
          ": integers far outside the joint limits; the torques do not determine their scale";
      finding.remedy =
          "set log.position_scale to the radians (or meters) per tick, and log.position_offset to "
          "that scale times the tick count at the joint's zero";
    }
    findings.push_back(std::move(finding));
  }
  return findings;
}

}  // namespace heft::check
