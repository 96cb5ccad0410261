// The table of a study that the program prints.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "excite/study.hpp"

namespace heft {

namespace {

std::string cell(double value, const char* form) {
  return std::isfinite(value) ? fmt::format(fmt::runtime(form), value) : "-";
}

std::string line_of(const std::string& name, std::size_t width, const StudyEntry& entry,
                    const StudyEntry* best) {
  std::string line = fmt::format(
      "  {} {:<{}}  {:<10}  {:>9}  {:>9}  {:>10}  {:>12}  {:>10}{}\n", &entry == best ? '*' : ' ',
      name, width, enum_name(entry.status), cell(entry.duration_s, "{:.4g}"),
      cell(entry.log_det, "{:.2f}"), cell(entry.gained(), "{:.2f}"),
      cell(efficiency_vs_best(entry, best), "{:.3f}"), cell(100 * entry.torque_error, "{:.3g} %"),
      entry.was_kept ? "  from an earlier run" : "");
  if (!entry.because.empty()) {
    std::string because = entry.because;
    for (std::size_t at = 0; (at = because.find('\n', at)) != std::string::npos; ++at)
      because.insert(at + 1, "    ");
    line += (entry.status == StudyState::failed ? "      " : "      because ") + because + "\n";
  }
  return line;
}

std::string robot_table(const StudyRobot& robot, const std::vector<StudyEntry>& entries) {
  const BestDesign best = best_design(entries);
  const StudyEntry* const of_best =
      best.index < 0 ? nullptr : &entries[static_cast<std::size_t>(best.index)];
  std::size_t width = 6;
  for (const StudyDesign& design : robot.designs) width = std::max(width, design.name.size());
  std::string text = robot.name + "\n";
  text += fmt::format("    {:<{}}  {:<10}  {:>9}  {:>9}  {:>10}  {:>12}  {:>10}\n", "design", width,
                      "status", "time [s]", "log det", "gained", "vs best", "tau error");
  for (std::size_t i = 0; i < entries.size(); ++i)
    text += line_of(robot.designs[i].name, width, entries[i], of_best);
  if (!best.is_comparable)
    text +=
        "  assumed: these designs have different priors (beliefs, columns or moments), so only "
        "the information gained compares them\n";
  return text;
}

}  // namespace

std::string study_summary(const Study& study, const StudyResult& result) {
  std::string text;
  for (std::size_t r = 0; r < study.robots.size(); ++r)
    text += robot_table(study.robots[r], result.entries[r]);
  std::string counts;
  for (const auto& state : EnumNames<StudyState>::kList)
    if (const int count = result.count(state.value); count > 0)
      counts += fmt::format("{}{} {}", counts.empty() ? "" : ", ", count, state.name);
  return text + "study: " + counts + "\n";
}

}  // namespace heft
