#include "conditioning/log_columns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "base_pose.hpp"
#include "conditioning/imu_columns.hpp"
#include "files/name_hint.hpp"
#include "missing_joints.hpp"
#include "model/units.hpp"
#include "readers/column_guess.hpp"
#include "readers/log_formats.hpp"

namespace heft {

namespace {

constexpr std::array<const char*, 3> kBaseAngularAcceleration = {"base_wdx", "base_wdy",
                                                                 "base_wdz"};

struct Wanted {
  std::string joint;  // for {joint}
  int index;          // for {i}, from 1; 0 if it has none
};

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos;
       at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

// {i}, {i+7} and {i-1} by numbers
std::string with_index(std::string text, int index) {
  constexpr std::size_t kMaxDigits = 6;
  text = replaced(std::move(text), "{i}", std::to_string(index));
  for (std::size_t at = text.find("{i"); at != std::string::npos; at = text.find("{i", at + 1)) {
    const std::size_t end = text.find('}', at);
    if (end == std::string::npos) return text;
    if (end < at + 4 || (text[at + 2] != '+' && text[at + 2] != '-')) continue;
    const std::string more = text.substr(at + 3, end - at - 3);
    if (more.size() > kMaxDigits || more.find_first_not_of("0123456789") != std::string::npos)
      continue;
    const int shift = text[at + 2] == '+' ? std::stoi(more) : -std::stoi(more);
    text.replace(at, end + 1 - at, std::to_string(index + shift));
  }
  return text;
}

// Expands the pattern to a column name; empty if its index does not exist.
std::optional<std::string> column_name(const std::string& pattern, const Wanted& wanted) {
  if (wanted.index == 0 && pattern.find("{joint}") == std::string::npos) return std::nullopt;
  if (wanted.index == 0 && with_index(pattern, 0) != pattern) return std::nullopt;
  return with_index(replaced(pattern, "{joint}", wanted.joint), wanted.index);
}

class ColumnFinder {
 public:
  ColumnFinder(const ColumnGroup& table, const Robot& robot, const LogFormat& format,
               std::string where)
      : table_(table),
        header_(table.columns),
        robot_(robot),
        format_(format),
        num_joints_(robot.num_coordinates()),
        where_(std::move(where)) {}

  // Names without {} are the columns of the joints themselves, one each; empty if there is none for
  // each of them.
  std::vector<std::string> listed(const std::vector<std::string>& patterns,
                                  const std::vector<Wanted>& wanted) const {
    if (wanted.empty() || wanted.front().index == 0) return {};
    std::vector<std::string> names, chosen;
    std::copy_if(patterns.begin(), patterns.end(), std::back_inserter(names),
                 std::not_fn(is_pattern));
    const bool for_all = names.size() == static_cast<std::size_t>(num_joints_);
    if (!for_all && names.size() != wanted.size()) return {};
    for (std::size_t k = 0; k < wanted.size(); ++k)
      chosen.push_back(names[for_all ? static_cast<std::size_t>(wanted[k].index - 1) : k]);
    return chosen;
  }

  int find(const std::string& name) const {
    const auto it = std::find(header_.begin(), header_.end(), name);
    return it == header_.end() || name.empty() ? -1 : static_cast<int>(it - header_.begin());
  }

  // Columns of all `wanted` by the first pattern that has them all; empty if there is none.
  std::vector<int> find_all(const std::vector<std::string>& patterns,
                            const std::vector<Wanted>& wanted) const {
    std::vector<int> columns;
    for (const std::string& name : listed(patterns, wanted)) columns.push_back(find(name));
    if (!columns.empty() && std::find(columns.begin(), columns.end(), -1) == columns.end())
      return columns;
    for (const std::string& pattern : patterns) {
      columns.clear();
      if (wanted.size() > 1 && !is_pattern(pattern)) continue;  // a column of one joint
      for (const Wanted& one : wanted)
        if (const auto name = column_name(pattern, one); name && find(*name) >= 0)
          columns.push_back(find(*name));
      if (columns.size() == wanted.size()) return columns;
    }
    return {};
  }

  Result<std::vector<int>> require_all(const std::string& quantity, const std::string& option,
                                       const std::vector<std::string>& patterns,
                                       const std::vector<Wanted>& wanted) const {
    std::vector<int> columns = find_all(patterns, wanted);
    if (wanted.empty() || !columns.empty()) return columns;
    return missing(quantity, option, patterns, wanted);
  }

  Error missing_named(const std::string& name, const std::string& purpose) const {
    return Error{where_, fmt::format("no column '{}' ({})", name, purpose),
                 name_hint(name, header_, "the header has") + guess_words(table_, robot_)};
  }

 private:
  // Other topics of a recording may have torques under any name.
  std::string torque_topic() const {
    const std::string_view format = format_of_file(where_);
    if (format != "mcap" && format != "bag") return "";
    return ", or log: {topics: {torque: TOPIC.FIELD}} to their topic (heft info " + where_ +
           " lists all)";
  }

  // Reports the pattern with the most matches and its first missing column.
  Error missing(const std::string& quantity, const std::string& option,
                const std::vector<std::string>& patterns, const std::vector<Wanted>& wanted) const {
    std::string culprit, joint = wanted.front().joint;
    std::vector<std::string> unclaimed = header_, joints_without;
    int most_found = -1;
    const auto names = listed(patterns, wanted);
    for (std::size_t k = 0; k < names.size(); ++k)
      if (find(names[k]) < 0)
        return Error{
            where_,
            fmt::format("no column '{}' for the {} of '{}'", names[k], quantity, wanted[k].joint),
            name_hint(names[k], without_other_roles(header_, option), header_, "the header has") +
                guess_words(table_, robot_)};
    if (const auto literal =
            std::find_if(patterns.begin(), patterns.end(), std::not_fn(is_pattern));
        names.empty() && literal != patterns.end() && wanted.size() > 1)
      return Error{
          "log." + option,
          fmt::format("names {} columns for {} joints: {}",
                      std::count_if(patterns.begin(), patterns.end(), std::not_fn(is_pattern)),
                      wanted.size(), fmt::join(patterns, ", ")),
          "name one for each, or give a pattern with {joint} or {i}; a joint that stands still needs "
          "no column: joints: {locked: {" +
              yaml_key(wanted.back().joint) + ": 0}}" + guess_words(table_, robot_)};
    for (const std::string& pattern : patterns) {
      int found = 0;
      std::string lacking, lacking_joint;
      std::vector<std::string> without;
      std::vector<std::string> rest = header_;
      for (const Wanted& one : wanted) {
        const auto name = column_name(pattern, one);
        if (name && find(*name) >= 0) {
          ++found;
          std::erase(rest, *name);  // it belongs to another joint
          continue;
        }
        without.push_back(one.joint);
        if (!lacking.empty()) continue;
        lacking = name.value_or(pattern);
        lacking_joint = one.joint;
      }
      if (found > most_found) {
        most_found = found;
        culprit = lacking;
        joint = lacking_joint;
        unclaimed = rest;
        joints_without = without;
      }
    }
    std::set<std::string> lacking_joints;  // a floating joint has six coordinates
    for (const std::string& name : joints_without)
      lacking_joints.insert(name.substr(0, name.rfind('.')));
    const bool most_are_there =
        most_found > 0 && static_cast<std::size_t>(most_found) >= lacking_joints.size();
    const auto others = columns_of_other_joints(unclaimed, robot_);
    if (most_are_there && option == "position" && !others.empty())
      return Error{
          where_,
          fmt::format("no column '{}' for the {} of '{}', but '{}' and '{}' belong to no joint of "
                      "the robot",
                      culprit, quantity, joint, others.front().first, others.front().second),
          fmt::format("if they are those of '{0}', rename them, or list the columns of all joints "
                      "in log.position and log.torque; if '{0}' stands still: joints: {{locked: "
                      "{{{1}: 0}}}}",
                      joint, yaml_key(joint))};
    if (most_are_there && option == "position" && stand_alone(culprit, unclaimed, joints_without)) {
      const MissingJoints missing = lock_missing_joints(robot_, joints_without);
      return Error{
          where_, missing.what,
          missing.remedy + "or set log.position to their pattern, if they have other names" +
              by_number(patterns) + "; " + name_hint(culprit, {}, header_, "the header has")};
    }
    const bool lacks_torques = option == "torque" && most_found <= 0 &&
                               std::none_of(header_.begin(), header_.end(), [](const auto& name) {
                                 return role_of(name) == ColumnRole::torque;
                               });
    if (lacks_torques)
      return Error{
          where_,
          fmt::format("no column '{}' for the {} of '{}' (patterns tried: {}), nor any other "
                      "with the name of a torque",
                      culprit, quantity, joint, fmt::join(patterns, ", ")),
          "record torques or motor currents (the effort of joint states), or add the file "
          "that has them: --log MOTION+TORQUES; or set log.torque to their pattern" +
              torque_topic() + "; " + name_hint(culprit, {}, header_, "the header has") +
              guess_words(table_, robot_)};
    const std::string exclude =
        most_found > 0 && option == "torque"
            ? fmt::format("; or exclude torques that are not measured: joints: {{exclude: [{}]}}",
                          fmt::join(joints_without, ", "))
            : "";
    return Error{
        where_,
        fmt::format("no column '{}' for the {} of '{}' (patterns tried: {})", culprit, quantity,
                    joint, fmt::join(patterns, ", ")),
        name_hint(culprit, without_other_roles(unclaimed, option), header_, "the header has") +
            fmt::format("; or set log.{} to its pattern", option) + exclude +
            guess_words(table_, robot_)};
  }

  // Candidates for a column of `option`: names that neither are the time nor match another option.
  std::vector<std::string> without_other_roles(std::vector<std::string> names,
                                               const std::string& option) const {
    const std::array<std::pair<const char*, const std::vector<std::string>*>, 4> roles = {
        {{"position", &format_.position},
         {"velocity", &format_.velocity},
         {"acceleration", &format_.acceleration},
         {"torque", &format_.torque}}};
    if (table_.clock >= 0) std::erase(names, header_[static_cast<std::size_t>(table_.clock)]);
    for (const auto& [role, patterns] : roles)
      for (const std::string& pattern : *patterns)
        for (int k = 0; k < num_joints_ && role != option; ++k)
          if (const auto column = column_name(
                  pattern, {robot_.coordinates[static_cast<std::size_t>(k)].name, k + 1}))
            std::erase(names, *column);
    return names;
  }

  // Whether no other column could be a position of these joints: neither a similar name nor a
  // torque of one of them, which would be a moving joint.
  bool stand_alone(const std::string& first, std::vector<std::string> unclaimed,
                   const std::vector<std::string>& joints) const {
    for (int k = 0; k < num_joints_; ++k) {
      const std::string& name = robot_.coordinates[static_cast<std::size_t>(k)].name;
      const bool is_lacking = std::ranges::find(joints, name) != joints.end();
      for (const auto* patterns : {&format_.torque, &format_.velocity, &format_.acceleration})
        for (const std::string& pattern : *patterns) {
          const auto column = column_name(pattern, {name, k + 1});
          if (!column || !is_pattern(pattern) || find(*column) < 0) continue;
          if (is_lacking && patterns == &format_.torque) return false;
          std::erase(unclaimed, *column);
        }
    }
    return nearest_name(first, unclaimed).empty();
  }

  // Numbered columns count all joints, so that the robot's last joint lacks a column, regardless of
  // which joint is fixed.
  std::string by_number(const std::vector<std::string>& patterns) const {
    const auto is_by_name = [](const std::string& pattern) {
      return pattern.find("{joint}") != std::string::npos;
    };
    for (const std::string& pattern : patterns) {
      if (is_by_name(pattern) || !is_pattern(pattern)) continue;
      const auto first = column_name(pattern, {"", 1});
      if (!first || find(*first) < 0) continue;
      std::vector<std::string> names;
      for (const Coordinate& coordinate : robot_.coordinates) names.push_back(coordinate.name);
      return fmt::format(
          "; numbered columns belong to {} in this order: lock the joint without a column",
          fmt::join(names, ", "));
    }
    return "";
  }

  const ColumnGroup& table_;
  const std::vector<std::string>& header_;
  const Robot& robot_;
  const LogFormat& format_;
  int num_joints_;
  std::string where_;
};

// Appends a group of values; returns the index of its first.
int append(LogColumns& columns, const std::vector<int>& found, const std::vector<double>& scales) {
  const int first = columns.num_values();
  for (std::size_t k = 0; k < found.size(); ++k) columns.values.push_back({found[k], scales[k]});
  return first;
}

// Appends columns that must exist; returns the index of the first.
Result<int> append_named(const ColumnFinder& finder, const std::vector<std::string>& names,
                         const char* purpose, LogColumns& columns) {
  std::vector<int> found;
  for (const std::string& name : names) {
    found.push_back(finder.find(name));
    if (found.back() < 0) return finder.missing_named(name, purpose);
  }
  return append(columns, found, std::vector<double>(found.size(), 1.0));
}

template <std::size_t kNum>
std::vector<std::string> names_or(const std::vector<std::string>& given,
                                  const std::array<const char*, kNum>& usual) {
  return given.empty() ? std::vector<std::string>(usual.begin(), usual.end()) : given;
}

// Position and quaternion, the latter in the order x, y, z, w.
Result<Done> append_base_pose(const ColumnFinder& finder, const BaseSource& base,
                              LogColumns& columns) {
  std::vector<std::string> names = base.pose;
  if (base.quaternion == PoseQuaternion::wxyz)
    std::rotate(names.begin() + 3, names.begin() + 4, names.end());
  HEFT_TRY(first, append_named(finder, names, "pose of the base; base.pose names it", columns));
  columns.first_base_position = first;
  columns.first_base_quaternion = first + 3;
  return Done{};
}

Result<Done> append_base_motion(const ColumnFinder& finder, const BaseSource& base,
                                LogColumns& columns) {
  HEFT_CHECK(check_base_source(base));
  if (base.source == BaseMeasurement::imu) {
    HEFT_TRY(w, append_named(finder, names_or(base.gyro, kBaseAngularVelocity),
                             "angular velocity of the base, rad/s in base axes", columns));
    columns.first_base_angular_velocity = w;
    HEFT_TRY(f, append_named(finder, names_or(base.accel, kBaseSpecificForce),
                             "specific force a - g of the root link's origin, m/s^2 in base axes",
                             columns));
    columns.first_base_specific_force = f;
    const bool has_wd = std::ranges::all_of(
        kBaseAngularAcceleration, [&](const char* name) { return finder.find(name) >= 0; });
    if (has_wd && base.gyro.empty()) {
      HEFT_TRY(wd, append_named(finder, names_or({}, kBaseAngularAcceleration), "", columns));
      columns.first_base_angular_acceleration = wd;
    }
  }
  return base.pose.empty() ? Result<Done>(Done{}) : append_base_pose(finder, base, columns);
}

Result<Done> append_torques(const ColumnFinder& finder, const Robot& robot,
                            const std::vector<Channel>& channels, const LogFormat& format,
                            bool need_torque, const std::vector<std::string>& excluded,
                            bool base_is_free, LogColumns& columns) {
  columns.first_torque = columns.num_values();
  columns.torque.assign(channels.size(), -1);

  // joints share one pattern; so do the sensors' channels; a floating base may be measured in part,
  // or not at all
  std::vector<Wanted> joints, wrenches;
  std::vector<std::size_t> joint_channels, wrench_channels;
  const auto add = [&](std::size_t channel, int column) {
    const Channel& c = channels[channel];
    columns.torque[channel] = append(
        columns, {column}, {c.is_sensor ? c.scale : format.torque_scale.of(c.name, c.coordinate)});
    columns.values.back().offset =
        c.is_sensor ? c.offset : format.torque_offset.of(c.name, c.coordinate);
  };
  const auto is_excluded = [&](const std::string& joint) {
    return std::find(excluded.begin(), excluded.end(), joint) != excluded.end();
  };
  for (std::size_t c = 0; c < channels.size(); ++c) {
    const Channel& channel = channels[c];
    if (channel.coordinate >= 0) {
      if (is_excluded(channel.name)) continue;
      joints.push_back({channel.name, channel.coordinate + 1});
      joint_channels.push_back(c);
    } else if (robot.floating_base && channel.body == 0) {
      const auto found = finder.find_all(format.torque, {{channel.name, 0}});
      if (!found.empty()) {
        add(c, found.front());
      } else if (base_is_free) {
        // no motor drives the base: a column of zeros, which are never missing
        columns.torque[c] = append(columns, {columns.time_column}, {0.0});
      }
    } else {
      wrenches.push_back({channel.name, 0});
      wrench_channels.push_back(c);
    }
  }
  const auto add_group = [&](const std::vector<Wanted>& wanted,
                             const std::vector<std::size_t>& group) -> Result<Done> {
    std::vector<int> found = finder.find_all(format.torque, wanted);
    if (found.empty() && need_torque) {
      HEFT_TRY(required, finder.require_all("torque", "torque", format.torque, wanted));
      found = required;
    }
    for (std::size_t k = 0; k < found.size(); ++k) add(group[k], found[k]);
    return Done{};
  };
  HEFT_CHECK(add_group(joints, joint_channels));
  HEFT_CHECK(add_group(wrenches, wrench_channels));
  return Done{};
}

}  // namespace

Result<LogColumns> find_log_columns(const ColumnGroup& table, const Robot& robot,
                                    const std::vector<Channel>& channels, const LogFormat& format,
                                    const ConditioningOptions& options,
                                    const std::vector<int>& extra, const std::string& where,
                                    bool base_is_free) {
  const ColumnFinder finder(table, robot, format, where);
  LogColumns columns;
  columns.time_column = table.clock;
  if (columns.time_column < 0)
    return finder.missing_named(format.time, "the time; log.time is its name");

  HEFT_CHECK(check_per_joint("log.torque_scale", format.torque_scale, robot));
  HEFT_CHECK(check_per_joint("log.torque_offset", format.torque_offset, robot));
  HEFT_CHECK(check_per_joint("log.position_scale", format.position_scale, robot));
  HEFT_CHECK(check_per_joint("log.position_offset", format.position_offset, robot));
  HEFT_CHECK(check_per_joint("log.angle_unit", format.angle_unit, robot));
  HEFT_CHECK(check_per_joint("conditioning.torque_delay_s", options.torque_delay_s, robot));
  HEFT_CHECK(check_joints("joints.exclude", options.excluded_joints, robot));
  std::vector<Wanted> joints;
  std::vector<double> units;
  for (int k = 0; k < robot.num_coordinates(); ++k) {
    const Coordinate& coordinate = robot.coordinates[static_cast<std::size_t>(k)];
    joints.push_back({coordinate.name, k + 1});
    units.push_back(
        (coordinate.is_angle && format.angle_unit.of(coordinate.name, k) == "deg" ? kDegree : 1.0) *
        format.position_scale.of(coordinate.name, k));
  }
  HEFT_TRY(position, finder.require_all("position", "position", format.position, joints));
  columns.first_position = append(columns, position, units);
  for (int k = 0; k < robot.num_coordinates(); ++k)
    columns.values[static_cast<std::size_t>(columns.first_position + k)].offset =
        format.position_offset.of(robot.coordinates[static_cast<std::size_t>(k)].name, k);
  if (options.velocity == VelocitySource::logged) {
    HEFT_TRY(velocity, finder.require_all("velocity", "velocity", format.velocity, joints));
    columns.first_velocity = append(columns, velocity, units);
  }
  if (const auto acceleration = finder.find_all(format.acceleration, joints); !acceleration.empty())
    columns.first_acceleration = append(columns, acceleration, units);
  if (robot.floating_base) HEFT_CHECK(append_base_motion(finder, options.base, columns));

  columns.first_extra = append(columns, extra, std::vector<double>(extra.size(), 1.0));
  columns.num_extra = static_cast<int>(extra.size());
  HEFT_CHECK(append_torques(finder, robot, channels, format, options.need_torque,
                            options.excluded_joints, base_is_free, columns));
  return columns;
}

}  // namespace heft
