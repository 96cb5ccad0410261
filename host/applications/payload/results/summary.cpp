// The terminal summary: payload, intervals, methods and doubts. Every number has its unit.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "controller_files.hpp"
#include "samples/column_names.hpp"

namespace heft {

namespace {

std::string percent(double share) {
  return std::isfinite(share) ? fmt::format("{:.2f} %", 100 * share) : "-";
}

std::string interval(const PayloadInterval& interval, double unit, const char* name) {
  if (!std::isfinite(interval.low) || !std::isfinite(interval.high)) return "not determined";
  return fmt::format("{:.4g} to {:.4g}{}{}", unit * interval.low, unit * interval.high,
                     *name ? " " : "", name);
}

std::string logs_section(const PayloadResult& result) {
  std::string text;
  for (const PayloadLog& log : result.logs) {
    text += fmt::format("  {}: {} rows", log.path, log.num_rows);
    if (log.rate_hz > 0)
      text += fmt::format(", {:.1f} s at {:.4g} Hz", log.duration_s, log.rate_hz);
    if (log.wrench_delay_s != 0)
      text += fmt::format(", wrench {:.4g} ms late", 1e3 * log.wrench_delay_s);
    if (log.num_dropped > 0)
      text += fmt::format(", {} incomplete or repeated rows left out", log.num_dropped);
    text += "\n";
    if (!log.wrench[0].empty() && log.wrench != payload::kWrenchNames)
      text += fmt::format("    wrench from {}\n", fmt::join(log.wrench, ", "));
  }
  if (!result.samples.moves)
    text += fmt::format("  poses at rest, {} directions of gravity\n", result.num_directions);
  return text;
}

std::string payload_section(const PayloadResult& result) {
  const auto [mass, com, I] = payload::about_com(result.answer().parameters);
  static const char* const kAxes[] = {"x", "y", "z"};
  std::string text = fmt::format("mass              {:>10.5g} kg        95 %: {}\n", mass,
                                 interval(result.mass, 1, "kg"));
  for (int axis = 0; axis < 3; ++axis)
    text += fmt::format("center of mass {}  {:>10.2f} mm        95 %: {}\n", kAxes[axis],
                        1e3 * com[axis],
                        interval(result.com[static_cast<std::size_t>(axis)], 1e3, "mm"));
  text += fmt::format(
      "tensor about the center of mass [kg m^2]: Ixx {:.4g}, Iyy {:.4g}, Izz {:.4g}, Ixy {:.3g}, Ixz {:.3g}, "
      "Iyz {:.3g}\n",
      I(0, 0), I(1, 1), I(2, 2), I(0, 1), I(0, 2), I(1, 2));
  text += "prior: " + result.shape.words + "\n";
  if (!result.set_by_prior.empty())
    text += fmt::format("set by the prior: {}\n", fmt::join(result.set_by_prior, ", "));
  if (result.is_by_torques()) return text;
  for (Eigen::Index group = 0;
       result.options.bias != BiasKind::none && group < result.biases.rows(); ++group) {
    const auto bias = result.biases.row(group);
    text +=
        fmt::format("bias {}  force {:.3f}, {:.3f}, {:.3f} N   torque {:.4f}, {:.4f}, {:.4f} N m\n",
                    group + 1, bias[0], bias[1], bias[2], bias[3], bias[4], bias[5]);
  }
  for (Eigen::Index group = 0; group < result.drifts.rows(); ++group) {
    const auto by = result.drifts.row(group);
    text += fmt::format(
        "drift {} force {:.3f}, {:.3f}, {:.3f} N   torque {:.4f}, {:.4f}, {:.4f} N m from first to last\n",
        group + 1, by[0], by[1], by[2], by[3], by[4], by[5]);
  }
  const Vector6d& rms = result.residual_rms;
  text += fmt::format("residual (rms)   force {:.3f} N  torque {:.4f} N m\n",
                      rms.head<3>().norm() / std::sqrt(3.0), rms.tail<3>().norm() / std::sqrt(3.0));
  return text;
}

std::string stretches_section(const PayloadResult& result) {
  if (result.stretches.empty()) return "";
  const auto words = [](const PayloadAnswer& answer, const PayloadInterval& mass) {
    const auto [m, c, I] = payload::about_com(answer.parameters);
    return fmt::format("{:>9.4f} kg ({}) at {:.2f}, {:.2f}, {:.2f} mm", m, interval(mass, 1, "kg"),
                       1e3 * c.x(), 1e3 * c.y(), 1e3 * c.z());
  };
  std::string text = "\nOne body per stretch; the result is that of the last one\n";
  for (const PayloadStretch& stretch : result.stretches) {
    text += fmt::format("  {:>7.2f} to {:>7.2f} s {}\n", stretch.from_s, stretch.to_s,
                        words(stretch.answer, stretch.mass));
    if (stretch.added)
      text += fmt::format("{:>23} {}\n", "more than in the first",
                          words(stretch.added->answer, stretch.added->mass));
  }
  return text;
}

std::string channels_section(const PayloadResult& result) {
  if (!result.is_by_torques()) return "";
  std::string text = fmt::format("\nresidual (rms)   {:>14} {:>14} {:>14} {:>14}\n", "torque",
                                 "without payload", "with payload", "identification");
  for (const PayloadChannel& channel : result.channels)
    text += fmt::format("{:<15} {:>11.4g} {:<3} {:>11.4g} {:<3} {:>11.4g} {:<3} {:>10.4g} {}\n",
                        channel.name, channel.rms_torque, channel.unit, channel.rms_without,
                        channel.unit, channel.rms_with, channel.unit, channel.rms_identified,
                        channel.unit);
  return text;
}

std::string scales_section(const PayloadResult& result) {
  if (!result.is_by_torques()) return "";
  static const std::map<TorqueScaleSpread::Source, const char*> kSources = {
      {TorqueScaleSpread::Source::option, "estimation.torque_scale_sd"},
      {TorqueScaleSpread::Source::residuals,
       "estimated from the residuals; estimation.torque_scale_sd replaces it"},
      {TorqueScaleSpread::Source::fallback, "the default; estimation.torque_scale_sd replaces it"}};
  std::string text =
      fmt::format("\nstandard deviation of torque scales: {:.2g} % ({})\n",
                  100 * result.torque_scales.sd, kSources.at(result.torque_scales.source));
  for (const PayloadChannel& channel : result.channels)
    if (std::isfinite(channel.mass))
      text += fmt::format("mass by {:<24} {:>8.4g} kg   95 % by noise: {}\n", channel.name,
                          channel.mass, interval(channel.mass_interval, 1, "kg"));
  if (!result.calibration) return text;
  text += fmt::format(
      "\ntorque scales from the known mass of {:.5g} kg: logged over true "
      "torque\n",
      result.options.limits.known_mass);
  for (const TorqueGain& gain : result.calibration->gains)
    text += fmt::format("  {:<30} {:>8.4f}      95 %: {}{}\n", gain.joint, gain.value,
                        interval(gain.interval, 1, ""),
                        gain.is_identifiable ? "" : " (not identifiable)");
  return text +
         "Identify the robot again with these lines in its configuration, then weigh with that result:\n" +
         result.calibration->yaml;
}

std::string methods_section(const PayloadResult& result) {
  std::string text =
      fmt::format("\n{:<12} {:>9} {:>26} {:>9} {:>16} {:>17}\n", "method", "mass [kg]",
                  "center of mass [mm]", "possible", "held-out force", "held-out torque");
  for (const PayloadAnswer& answer : result.answers) {
    if (!answer.failure.empty()) {
      text += fmt::format("{:<12} no result: {}\n", enum_name(answer.method), answer.failure);
      continue;
    }
    const auto [mass, com, I] = payload::about_com(answer.parameters);
    text += fmt::format("{:<12} {:>9.4f} {:>8.2f} {:>8.2f} {:>8.2f} {:>9} {:>16} {:>17}\n",
                        enum_name(answer.method), mass, 1e3 * com.x(), 1e3 * com.y(), 1e3 * com.z(),
                        answer.is_possible ? "yes" : "no", percent(answer.held_out_force),
                        percent(answer.held_out_torque));
  }
  return text;
}

}  // namespace

PayloadVerdict payload_verdict(const PayloadResult& result) {
  const auto& certificate = result.answer().certificate;
  if (!certificate)
    return {"red", std::string("method ") + enum_name(result.answer().method) +
                       " does not certify its result"};
  if (!certificate->certified) return {"red", certificate->verdict};
  const auto open = std::count_if(result.doubts.begin(), result.doubts.end(),
                                  [](const PayloadDoubt& d) { return d.serious && !d.accepted; });
  if (open > 0)
    return {"amber", fmt::format("the best fit to this log is certified, but {} about the log "
                                 "itself",
                                 open == 1 ? "there is a serious doubt"
                                           : fmt::format("there are {} serious doubts", open))};
  return {"green", "the best fit is certified, and no serious doubt about the log is open"};
}

std::string payload_summary(const PayloadResult& result) {
  std::string text = logs_section(result) + "\n" + payload_section(result);
  if (const auto& certificate = result.answer().certificate) text += certificate->verdict + "\n";
  if (const std::string because = payload::why_no_body_files(result); !because.empty())
    text += fmt::format("Not written: {}: {}.\n", fmt::join(payload::kBodyFiles, ", "), because);
  text += stretches_section(result) + channels_section(result) + scales_section(result) +
          methods_section(result);
  if (!result.doubts.empty()) text += "\nDoubts\n";
  for (const PayloadDoubt& doubt : result.doubts)
    text += fmt::format("  {} {}: {}{}\n      {}\n", doubt.serious ? "!" : "-", doubt.id,
                        doubt.what, doubt.accepted ? " (accepted)" : "", doubt.remedy);
  return text;
}

}  // namespace heft
