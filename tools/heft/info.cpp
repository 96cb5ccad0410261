// heft info: what this program is, and what is in a moments file.
#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "heft/backend.hpp"
#include "heft/training_data.hpp"
#include "tools/heft/command.hpp"

namespace heft::tools {

namespace {

void print_program() {
  std::printf("heft %s\n", HEFT_VERSION);
  for (const std::string& line : backend_inventory()) std::printf("backend %s\n", line.c_str());
}

/// "viscous joint_1, viscous joint_2" by kind: "viscous 2, offset 2".
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

std::string describe(const TrainingData& data, const std::string& path) {
  const RegressorPlan& plan = *data.plan;
  const Robot& robot = plan.robot;
  std::error_code ignored;
  std::string text = fmt::format("{}: moments, format heft-moments-2, written by heft {}, {} bytes\n", path,
                                 data.written_by, std::filesystem::file_size(path, ignored));
  text += fmt::format("robot      {}: {} bodies, {} joints, {} base, from {}\n", robot.name,
                      robot.num_bodies(), robot.num_coordinates(), robot.floating_base ? "floating" : "fixed",
                      robot.source.empty() ? "no file" : robot.source);
  text += fmt::format("unknowns   {}: {} of bodies; columns: {}\n", plan.layout.num_parameters(),
                      core::kNumParameters * plan.layout.num_bodies(), columns_by_kind(plan.layout));
  text += "rows       ";
  for (int c = 0; c < plan.num_channels(); ++c)
    text += fmt::format("{}{} {:.0f}", c > 0 ? ", " : "", plan.channels[c].name, data.moments.num_rows[c]);
  text += data.is_compact()
              ? "\nstretches  none: compact, the sum only; no error bars and no --prior-weight auto\n"
              : fmt::format("\nstretches  {}\n", data.stretches.size());
  for (const LogSummary& log : data.logs)
    text += fmt::format("log        {}: {} samples of {:.1f} s, sha256 {}\n", log.path, log.num_samples,
                        log.duration_s, log.sha256);
  for (const std::string& disagreement : data.disagreements)
    text += fmt::format("doubt      {}\n", disagreement);
  return text;
}

int run_info(const std::vector<std::string>& files) {
  if (files.empty()) print_program();
  for (const std::string& path : files) {
    const auto data = read_moments_file(path);
    if (!data) return fail(data.error());
    std::fputs(describe(*data, path).c_str(), stdout);
  }
  return kSuccess;
}

}  // namespace

void add_info(CLI::App& app, Command& run) {
  CLI::App* command =
      app.add_subcommand("info", "version, backends and why one is missing; or what is in moments files");
  auto files = std::make_shared<std::vector<std::string>>();
  command->add_option("files", *files, "moments files (*.heft); none: the program itself");
  command->footer(
      "Examples:\n"
      "  heft info\n"
      "  heft info monday.heft");
  command->callback([files, &run] { run = [files] { return run_info(*files); }; });
}

}  // namespace heft::tools
