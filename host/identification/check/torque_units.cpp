#include "torque_units.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <utility>

#include "column_mistakes.hpp"
#include "readers/option_yaml.hpp"

namespace heft::check {

namespace {

constexpr double kOff = 5;            // factor from which a torque is not the file's in N m
constexpr double kAgrees = 0.85;      // correlation above which a torque determines its unit
constexpr double kMilli = 1e-3;       // N mm
constexpr double kAboutMilli = 0.5;   // log of a factor that the file's masses may be off, of one
                                      // joint
constexpr double kAboutAll = 0.35;    // the same, RMS over all joints
constexpr double kAboutEach = 0.6;    // the same, of any of them
constexpr double kClearlyBetter = 1;  // log of a ratio of sizes that decides for a joint without
                                      // correlation

struct TorqueUnit {
  std::string name;
  std::function<double(const Coordinate&)> size;  ///< [N m] or [N]; NaN: the robot's file does not
                                                  ///< tell
};

std::vector<TorqueUnit> torque_units() {
  const auto constant = [](double size) { return [size](const Coordinate&) { return size; }; };
  const auto of_effort = [](double parts) {
    return [parts](const Coordinate& joint) {
      return std::isfinite(joint.max_effort) && joint.max_effort > 0
                 ? joint.max_effort / parts
                 : std::numeric_limits<double>::quiet_NaN();
    };
  };
  return {{"N mm", constant(kMilli)},
          {"N cm", constant(1e-2)},
          {"per mille of the joint's effort limit", of_effort(1000)},
          {"percent of the joint's effort limit", of_effort(100)}};
}

enum class DriveLimit { unknown, kept, exceeded };

/// Whether the logged torques are within the effort limit of the robot's file.
DriveLimit drive_limit(const LogFacts& log, const JointLog& joint, const Samples& samples) {
  constexpr double kFactor = 3;  // files have limits that drives exceed for a moment
  const double limit = log.coordinate(joint).max_effort;
  if (!(limit > 0) || !std::isfinite(limit)) return DriveLimit::unknown;
  const auto used = (samples.weight.col(joint.channel) != 0).cast<double>();
  const double sum2 = (used * samples.torque.col(joint.channel).square()).sum();
  return std::sqrt(sum2 / std::max(used.sum(), 1.0)) > kFactor * limit ? DriveLimit::exceeded
                                                                       : DriveLimit::kept;
}

/// Joints that share a cause; `scale`: [N m] or [N] per unit of the log, by coordinate.
struct UnitGroup {
  std::optional<TorqueUnit> unit;  ///< none: the masses of the file alone give the scale
  std::vector<JointLog> joints;
  std::vector<double> scale;
  bool is_of_all = false;
};

class UnitSearch {
 public:
  UnitSearch(const LogFacts& log, const std::vector<Agreement>& agreements,
             const std::vector<Agreement>& beside_rotors, const Samples& samples)
      : log_(log), agreements_(agreements) {
    for (const JointLog& joint : log.joints) {
      const Agreement& agreement = of(joint);
      if (!agreement.known || !(agreement.correlation > kAgrees)) continue;
      const bool is_large = agreement.scale > kOff;
      const DriveLimit limit = is_large ? drive_limit(log, joint, samples) : DriveLimit::unknown;
      if (is_large &&
          !is_another_unit(joint, beside_rotors[static_cast<std::size_t>(joint.channel)], limit))
        continue;  // the torque of a rotor does not determine the unit
      witnesses_.push_back(joint);
      if (is_large || agreement.scale < 1 / kOff) off_.push_back(joint);
    }
  }

  std::vector<UnitGroup> groups() const {
    if (off_.empty()) return {};
    if (const auto unit = unit_of(witnesses_)) return {group(*unit, witnesses_, true)};
    std::vector<UnitGroup> all;
    std::vector<JointLog> in_milli, others;
    for (const JointLog& joint : off_) (is_about_milli(joint) ? in_milli : others).push_back(joint);
    if (!in_milli.empty()) all.push_back(group(torque_units().front(), in_milli, false));
    if (const auto unit = unit_of(others)) {
      all.push_back(group(*unit, others, false));
      return all;
    }
    for (const JointLog& joint : others) all.push_back(measured_group(joint));
    return all;
  }

 private:
  const Agreement& of(const JointLog& joint) const {
    return agreements_[static_cast<std::size_t>(joint.channel)];
  }

  /// Whether a torque is too large even with a rotor, or beyond the drive's limit.
  bool is_another_unit(const JointLog& joint, const Agreement& beside_rotor,
                       DriveLimit limit) const {
    return (beside_rotor.known && beside_rotor.correlation > kAgrees &&
            beside_rotor.scale > kOff) ||
           limit == DriveLimit::exceeded || (limit == DriveLimit::unknown && is_about_milli(joint));
  }

  bool is_about_milli(const JointLog& joint) const {
    return std::abs(std::log(of(joint).scale * kMilli)) < kAboutMilli;
  }

  /// RMS log of the factor that the joints differ from the file; infinite if any is too far off.
  double misfit(const TorqueUnit& unit, const std::vector<JointLog>& joints) const {
    double sum2 = 0;
    for (const JointLog& joint : joints) {
      const double error = std::log(of(joint).scale * unit.size(log_.coordinate(joint)));
      if (!(std::abs(error) < kAboutEach)) return std::numeric_limits<double>::infinity();
      sum2 += error * error;
    }
    return std::sqrt(sum2 / static_cast<double>(joints.size()));
  }

  /// The unit that two joints or more agree on.
  std::optional<TorqueUnit> unit_of(const std::vector<JointLog>& joints) const {
    if (joints.size() < 2) return {};
    std::optional<TorqueUnit> best;
    double least = kAboutAll;
    for (TorqueUnit& unit : torque_units())
      if (const double found = misfit(unit, joints); found < least) {
        least = found;
        best = std::move(unit);
      }
    return best;
  }

  /// Whether a joint that does not correlate has the unit, by the size of its torque.
  bool joins(const JointLog& joint, double size, bool is_of_all) const {
    const Agreement& agreement = of(joint);
    if (!(agreement.rms_measured > 0) || !(agreement.rms_model > 0)) return is_of_all;
    const double as_told = std::abs(std::log(agreement.rms_measured / agreement.rms_model));
    const double so_read = std::abs(std::log(agreement.rms_measured * size / agreement.rms_model));
    return so_read < as_told + (is_of_all ? kClearlyBetter : -kClearlyBetter);
  }

  UnitGroup group(const TorqueUnit& unit, std::vector<JointLog> joints, bool is_of_all) const {
    UnitGroup group{.unit = unit,
                    .joints = std::move(joints),
                    .scale = std::vector<double>(log_.robot.coordinates.size(), 1.0),
                    .is_of_all = is_of_all};
    const auto is_among = [](const std::vector<JointLog>& some, const JointLog& joint) {
      return std::any_of(some.begin(), some.end(),
                         [&](const JointLog& one) { return one.joint == joint.joint; });
    };
    for (const JointLog& joint : log_.joints) {
      const double size = unit.size(log_.coordinate(joint));
      const bool is_in =
          is_among(group.joints, joint) ||
          (!is_among(witnesses_, joint) && std::isfinite(size) && joins(joint, size, is_of_all));
      if (!is_in) continue;
      group.scale[static_cast<std::size_t>(joint.joint)] = size;
      if (!is_among(group.joints, joint)) group.joints.push_back(joint);
    }
    return group;
  }

  UnitGroup measured_group(const JointLog& joint) const {
    UnitGroup group{.unit = {},
                    .joints = {joint},
                    .scale = std::vector<double>(log_.robot.coordinates.size(), 1.0)};
    // three digits are more than the masses of the file know
    const double scale = 1 / of(joint).scale;
    const double step = std::pow(10, std::floor(std::log10(scale)) - 2);
    group.scale[static_cast<std::size_t>(joint.joint)] = std::round(scale / step) * step;
    return group;
  }

  const LogFacts& log_;
  const std::vector<Agreement>& agreements_;
  std::vector<JointLog> witnesses_, off_;
};

std::string yaml_of(const LogFacts& log, const UnitGroup& group) {
  return option_yaml(
      {"log", "torque_scale", 1}, log.options.log.torque_scale, log.robot,
      [&](int k, double old) { return old * group.scale[static_cast<std::size_t>(k)]; });
}

std::function<void(Samples&)> undo_of(const UnitGroup& group) {
  std::vector<std::pair<int, double>> scales;
  for (const JointLog& joint : group.joints)
    scales.emplace_back(joint.channel, group.scale[static_cast<std::size_t>(joint.joint)]);
  return [scales](Samples& samples) {
    for (const auto& [channel, scale] : scales) {
      if (samples.torque.size() > 0) samples.torque.col(channel) *= scale;
      // errors stay those of the torque that was logged
      if (samples.weight.size() > 0) samples.weight.col(channel) /= scale;
    }
  };
}

std::string option_of(const std::string& yaml) {
  return "add to the configuration: " + yaml.substr(0, yaml.find('\n'));
}

/// The part of `what` that compares with the file: factors and correlations of the joints that
/// correlate.
std::string comparison(const LogFacts& log, const UnitGroup& group,
                       const std::vector<Agreement>& agreements) {
  double least = std::numeric_limits<double>::infinity(), largest = 0, correlation = 1;
  for (const JointLog& joint : group.joints) {
    const Agreement& agreement = agreements[static_cast<std::size_t>(joint.channel)];
    if (!agreement.known || !(agreement.correlation > kAgrees)) continue;
    const double factor = agreement.scale * group.unit->size(log.coordinate(joint));
    least = std::min(least, factor);
    largest = std::max(largest, factor);
    correlation = std::min(correlation, agreement.correlation);
  }
  const std::string factors = largest - least < 0.01
                                  ? fmt::format("{:.2f}", least)
                                  : fmt::format("{:.2f} to {:.2f}", least, largest);
  return fmt::format("{} times the torque of the robot's file, with a correlation of {:.2f}",
                     factors, correlation);
}

Finding finding_of_unit(const LogFacts& log, const std::string& path, const UnitGroup& group,
                        const std::vector<Agreement>& agreements) {
  std::vector<std::string> columns;
  for (const JointLog& joint : group.joints) columns.push_back(column_of(log, joint, "torque"));
  const std::string yaml = yaml_of(log, group);
  const Agreement& first = agreements[static_cast<std::size_t>(group.joints.front().channel)];
  Finding finding{
      .name = "torque-unit",
      .severity = Severity::error,
      .subject = group.is_of_all ? "all torques" : fmt::format("{}", fmt::join(columns, ", ")),
      .where = path + ":1",
      .what = fmt::format("torques in {}: read this way, they are {}", group.unit->name,
                          comparison(log, group, agreements)),
      .measure = first.scale,
      .unit = "1",
      .remedy = option_of(yaml),
      .fix = {yaml, undo_of(group)}};
  if (group.joints.size() == 1) finding.joint = log.coordinate(group.joints.front()).name;
  return finding;
}

Finding finding_of_size(const LogFacts& log, const std::string& path, const UnitGroup& group,
                        const Agreement& agreement, bool names_factor) {
  const JointLog& joint = group.joints.front();
  const bool is_small = agreement.scale < 1;
  Finding finding{
      .name = is_small ? "torque-motor-side" : "torque-unit",
      .severity = Severity::error,
      .subject = column_of(log, joint, "torque"),
      .where = path + ":1",
      .what = fmt::format(
          "{:.3g} times the torque that the URDF predicts, with a correlation of {:.2f}{}",
          agreement.scale, agreement.correlation,
          is_small ? fmt::format("; it may be measured before a gear with a ratio of about {:.0f}",
                                 1 / agreement.scale)
                   : ""),
      .measure = agreement.scale,
      .unit = "1",
      .remedy =
          is_small
              ? "multiply by the gear ratio (or the torque constant, if it is a current); if a model was "
                "subtracted from it, log the measured torque"
              : "set log.torque_scale to the N m per unit: for mA, the torque constant times the "
                "gear ratio / 1000; for per mille, the motor's rated torque times the gear ratio / "
                "1000",
      .joint = log.coordinate(joint).name};
  if (!names_factor) return finding;
  finding.fix = {yaml_of(log, group), undo_of(group)};
  finding.remedy += "; or, by the masses of the robot's file, " + option_of(finding.fix.yaml);
  return finding;
}

}  // namespace

std::vector<Finding> torque_units_found(const LogFacts& log, const std::string& path,
                                        const std::vector<Agreement>& agreements,
                                        const std::vector<Agreement>& beside_rotors,
                                        bool names_factors, Samples& samples) {
  std::vector<Finding> findings;
  for (const UnitGroup& group : UnitSearch(log, agreements, beside_rotors, samples).groups()) {
    for (const JointLog& joint : group.joints)
      samples.torque.col(joint.channel) *= group.scale[static_cast<std::size_t>(joint.joint)];
    findings.push_back(
        group.unit
            ? finding_of_unit(log, path, group, agreements)
            : finding_of_size(log, path, group,
                              agreements[static_cast<std::size_t>(group.joints.front().channel)],
                              names_factors));
  }
  return findings;
}

}  // namespace heft::check
