#include "one_fault.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "rows/unfiltered_motion.hpp"

namespace heft {

namespace {

double period_of(const Samples& stretch) {
  return stretch.size() < 2
             ? 1
             : (stretch.time[stretch.size() - 1] - stretch.time[0]) / static_cast<double>(stretch.size() - 1);
}

/// Torques of one channel at `delay` seconds later, by cubic interpolation between four samples.
void read_later(Samples& stretch, int channel, double delay, Eigen::Index margin) {
  const Eigen::ArrayXd torque = stretch.torque.col(channel), weight = stretch.weight.col(channel);
  const double rows = delay / period_of(stretch);
  const auto whole = static_cast<Eigen::Index>(std::floor(rows));
  const double u = rows - static_cast<double>(whole);
  const double share[] = {-u * (u - 1) * (u - 2) / 6, (u + 1) * (u - 1) * (u - 2) / 2,
                          -(u + 1) * u * (u - 2) / 2, (u + 1) * u * (u - 1) / 6};
  for (Eigen::Index k = 0; k < stretch.size(); ++k) {
    double value = 0, used = weight[k];
    const bool inside = k >= margin && k + margin < stretch.size();
    for (int j = 0; inside && j < 4; ++j) {
      const Eigen::Index at = k + whole - 1 + j;
      value += share[j] * torque[at];
      if (weight[at] == 0 && share[j] != 0) used = 0;
    }
    stretch.weight(k, channel) = inside ? used : 0;
    stretch.torque(k, channel) = inside && used != 0 ? value : 0;
  }
}

void take_off_position(Samples& stretch, int coordinate, double size) {
  stretch.position.col(coordinate) -= size;
  if (!stretch.unfiltered) return;
  UnfilteredMotion motion = *stretch.unfiltered;
  motion.samples.position.col(coordinate) -= size;
  stretch.unfiltered = std::make_shared<const UnfilteredMotion>(std::move(motion));
}

/// In double quotes, as YAML and JSON read them.
std::string quoted(const std::string& name) {
  std::string text = "\"";
  for (const char c : name) {
    if (c == '"' || c == '\\') text += '\\';
    text += c;
  }
  return text + "\"";
}

/// "section: {key: {joint: number, ..}}" of all joints whose number is not `usual`; one number if it is that of all.
template <class Mend>
std::string option_text(const char* section, const char* key, const PerJoint& in_force, double usual,
                        const Robot& robot, const Mend& mend) {
  std::string joints;
  bool are_equal = true;
  std::optional<double> first;
  for (std::size_t k = 0; k < robot.coordinates.size(); ++k) {
    const std::string& name = robot.coordinates[k].name;
    const int index = static_cast<int>(k);
    const double value = mend(index, in_force.of(name, index));
    are_equal = are_equal && value == first.value_or(value);
    first = first.value_or(value);
    if (value != usual)
      joints += fmt::format("{}{}: {:.6g}", joints.empty() ? "" : ", ", quoted(name), value);
  }
  if (are_equal && first && robot.coordinates.size() > 1)
    return fmt::format("{}: {{{}: {:.6g}}}\n", section, key, *first);
  return fmt::format("{}: {{{}: {{{}}}}}\n", section, key, joints);
}

}  // namespace

Samples OneFault::undone(const Samples& stretch, double size) const {
  Samples changed = stretch;
  switch (kind) {
    case FaultKind::torque_scale:
      changed.torque.col(channel) *= std::exp(-size);
      changed.weight.col(channel) *= std::exp(size);
      break;
    case FaultKind::torque_delay: {
      const auto reach = static_cast<Eigen::Index>(std::ceil(max_size / period_of(stretch))) + 2;
      const Eigen::Index margin = std::min(reach, stretch.size());
      const int first = channel < 0 ? 0 : channel,
                last = channel < 0 ? static_cast<int>(stretch.torque.cols()) - 1 : channel;
      for (int c = first; c <= last; ++c) read_later(changed, c, size, margin);
      break;
    }
    case FaultKind::joint_zero:
      take_off_position(changed, coordinate, size);
      break;
  }
  return changed;
}

std::string id_of(const OneFault& fault) {
  switch (fault.kind) {
    case FaultKind::torque_scale:
      return "torque-scale";
    case FaultKind::torque_delay:
      return "torque-delay";
    case FaultKind::joint_zero:
      break;
  }
  return "joint-zero";
}

std::string unit_of(const OneFault& fault, const RegressorPlan& plan) {
  switch (fault.kind) {
    case FaultKind::torque_scale:
      return "1";
    case FaultKind::torque_delay:
      return "s";
    case FaultKind::joint_zero:
      break;
  }
  return plan.robot.coordinates[static_cast<std::size_t>(fault.coordinate)].is_angle ? "rad" : "m";
}

double option_value(const OneFault& fault, double size) {
  return fault.kind == FaultKind::torque_scale ? std::exp(-size) : size;
}

std::string yaml_of(const OneFault& fault, double size, const RegressorPlan& plan, const LogFormat& log,
                    const ConditioningOptions& conditioning) {
  const double value = option_value(fault, size);
  switch (fault.kind) {
    case FaultKind::torque_scale:
      return option_text("log", "torque_scale", log.torque_scale, 1, plan.robot,
                         [&](int k, double old) { return k == fault.coordinate ? old * value : old; });
    case FaultKind::torque_delay:
      return option_text("conditioning", "torque_delay_s", conditioning.torque_delay_s, 0, plan.robot,
                         [&](int k, double old) {
                           return fault.coordinate < 0 || k == fault.coordinate ? old + value : old;
                         });
    case FaultKind::joint_zero:
      break;
  }
  return option_text("log", "position_offset", log.position_offset, 0, plan.robot,
                     [&](int k, double old) { return k == fault.coordinate ? old + value : old; });
}

}  // namespace heft
