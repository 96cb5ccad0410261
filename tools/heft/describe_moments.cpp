#include "tools/heft/describe_moments.hpp"

#include <fmt/format.h>

#include <filesystem>

namespace heft::tools {

namespace {

/// Counts columns by kind: "viscous 2, offset 2".
std::string columns_by_kind(const ParameterLayout& layout) {
  std::vector<std::pair<std::string, int>> kinds;
  for (const Column& column : layout.columns) {
    if (kinds.empty() || kinds.back().first != column.kind) kinds.emplace_back(column.kind, 0);
    ++kinds.back().second;
  }
  std::string text;
  for (const auto& [kind, count] : kinds)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", kind, count);
  return text.empty() ? "none" : text;
}

}  // namespace

std::string describe(const TrainingData& data, const std::string& path) {
  const RegressorPlan& plan = *data.plan;
  const Robot& robot = plan.robot;
  std::error_code ignored;
  std::string text =
      fmt::format("{}: moments, format heft-moments-2, written by heft {}, {} bytes\n", path,
                  data.written_by, std::filesystem::file_size(path, ignored));
  text += fmt::format("robot      {}: {} bodies, {} joints, {} base, from {}\n", robot.name,
                      robot.num_bodies(), robot.num_coordinates(),
                      robot.floating_base ? "floating" : "fixed",
                      robot.source.empty() ? "no file" : robot.source);
  text +=
      fmt::format("unknowns   {}: {} of bodies; columns: {}\n", plan.layout.num_parameters(),
                  core::kNumParameters * plan.layout.num_bodies(), columns_by_kind(plan.layout));
  text += "rows       ";
  for (int c = 0; c < plan.num_channels(); ++c)
    text += fmt::format("{}{} {:.0f}", c > 0 ? ", " : "", plan.channels[c].name,
                        data.moments.num_rows[c]);
  text += data.is_compact()
              ? "\n"
                "stretches  none: compact, the sum only; no intervals and no --prior-weight auto\n"
              : fmt::format("\nstretches  {}\n", data.stretches.size());
  for (const LogSummary& log : data.logs)
    text += fmt::format("log        {}: {} samples of {:.1f} s, sha256 {}\n", log.path,
                        log.num_samples, log.duration_s, log.sha256);
  for (const std::string& disagreement : data.disagreements)
    text += fmt::format("doubt      {}\n", disagreement);
  return text;
}

}  // namespace heft::tools
