// Writes the files of a design, all or none, and the program's output.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>

#include "design_texts.hpp"
#include "files/whole_file.hpp"
#include "heft/excite/design.hpp"

namespace heft {

namespace fs = std::filesystem;

namespace {

constexpr const char* kTrajectories[] = {"trajectory.csv", "trajectory.ros2.yaml",
                                         "trajectory.json"};
constexpr const char* kSlowTrajectories[] = {"slow.csv", "slow.ros2.yaml"};

const char* unit_of(const std::string& limit, bool is_angle) {
  if (limit == "position") return is_angle ? "rad" : "m";
  if (limit == "velocity") return is_angle ? "rad/s" : "m/s";
  if (limit == "acceleration") return is_angle ? "rad/s^2" : "m/s^2";
  if (limit == "jerk") return is_angle ? "rad/s^3" : "m/s^3";
  return is_angle ? "N m" : "N";
}

std::string limits_table(const Design& design) {
  std::string text =
      "  limit         joint                    largest use          of            at [s]\n";
  std::set<std::string> shown;
  for (const LimitUse& use : design.limits) {
    // the nearest joint of every kind
    if (!std::isfinite(use.limit) || !shown.insert(use.name).second) continue;
    const LimitUse* nearest = &use;
    for (const LimitUse& other : design.limits)
      if (other.name == use.name && other.worst_ratio > nearest->worst_ratio) nearest = &other;
    const auto joint = std::find_if(
        design.robot.coordinates.begin(), design.robot.coordinates.end(),
        [&](const Coordinate& coordinate) { return coordinate.name == nearest->joint; });
    const bool is_angle = joint == design.robot.coordinates.end() || joint->is_angle;
    text += fmt::format(
        "  {:<13} {:<24} {:>8.2f} %  {:>10.4g} {:<9} {:>8.3f}  {}\n", nearest->name, nearest->joint,
        100 * nearest->worst_ratio, nearest->limit, unit_of(use.name, is_angle), nearest->at_s,
        nearest->proved ? "verified for all times"
                        : fmt::format("at samples {:.3g} ms apart", 1e3 * design.torque_step_s));
  }
  return text;
}

}  // namespace

Result<std::vector<std::string>> write_design(const Design& design, const std::string& directory) {
  HEFT_CHECK(make_folder(directory));
  const auto path = [&](const char* name) { return (fs::path(directory) / name).string(); };
  std::vector<FileText> texts = {{path("design.json"), design_json(design)},
                                 {path("report.html"), excite::design_page(design)}};
  const bool has_trajectory =
      design.motion && !design.is_judged && design.status == DesignStatus::feasible;
  if (has_trajectory) {
    texts.push_back({path(kTrajectories[0]), excite::trajectory_csv(design.robot, design.samples)});
    texts.push_back(
        {path(kTrajectories[1]), excite::trajectory_ros2(design.robot, design.samples)});
    texts.push_back({path(kTrajectories[2]), excite::trajectory_json(design)});
  }
  const bool has_slow = has_trajectory && design.slow && design.slow->infeasible_because.empty();
  if (has_slow) {
    texts.push_back(
        {path(kSlowTrajectories[0]), excite::trajectory_csv(design.robot, design.slow->samples)});
    texts.push_back(
        {path(kSlowTrajectories[1]), excite::trajectory_ros2(design.robot, design.slow->samples)});
  }
  HEFT_CHECK(write_files_whole(texts));
  std::error_code ignored;
  if (!has_trajectory && !design.is_judged)
    for (const char* name : kTrajectories) fs::remove(path(name), ignored);
  if (!has_slow && !design.is_judged)
    for (const char* name : kSlowTrajectories) fs::remove(path(name), ignored);
  std::vector<std::string> paths;
  for (const FileText& text : texts) paths.push_back(text.path);
  return paths;
}

std::string design_summary(const Design& design) {
  std::string text = fmt::format("{}: {}\n", design.robot.name,
                                 design.is_judged && design.status == DesignStatus::feasible
                                     ? "within its limits"
                                     : enum_name(design.status));
  if (!design.infeasible_because.empty()) text += "  because " + design.infeasible_because + "\n";
  const double gained = design.log_det - design.log_det_prior;
  text += fmt::format("  log det {:.2f}, {:.2f} more than before", design.log_det, gained);
  if (design.num_base_parameters > 0)
    text += fmt::format("; {} identifiable parameters, {:.3g} times as certain on average",
                        design.num_base_parameters,
                        std::exp(0.5 * gained / design.num_base_parameters));
  text += "\n";
  if (design.efficiency)
    text +=
        fmt::format("  D-efficiency relative to the other motion: {:.3f}\n", *design.efficiency);
  text += limits_table(design);
  if (design.clearance)
    text += fmt::format(
        "  clearance     {:.4f} m between {} and {} at {:.3f} s, {:.4g} m required  {}\n",
        design.clearance->value, design.clearance->first, design.clearance->second,
        design.clearance->at_s, design.clearance->wanted,
        design.clearance->proved
            ? "verified for all times"
            : fmt::format("at samples {:.3g} ms apart", 1e3 * design.clearance->step_s));
  if (design.slow)
    text += fmt::format(
        "  at {:.3g} of the speed: {}, log det {:.2f}\n", design.slow->speed,
        design.slow->infeasible_because.empty() ? "feasible" : design.slow->infeasible_because,
        design.slow->log_det);
  if (!design.is_judged)
    text += fmt::format("  {} starts, {} evaluations, {:.2f} s of CPU\n", design.search.starts,
                        design.search.evaluations, design.search.cpu_s);
  if (design.waves) text += "  " + design.waves->chosen_because + "\n";
  if (design.waves && design.waves->launches > 0)
    text += fmt::format("  {} launches, {:.2f} s of device time\n", design.waves->launches,
                        design.waves->device_s);
  for (const std::string& note : design.notes) text += "  assumed: " + note + "\n";
  return text;
}

}  // namespace heft
