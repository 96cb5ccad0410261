#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "base/parallel_for.hpp"
#include "files/name_hint.hpp"
#include "heft/robot/robot_document.hpp"
#include "mechanics/rows_file.hpp"
#include "tools/heft/command.hpp"
#include "tools/heft/locked_flag.hpp"
#include "tools/heft/progress.hpp"
#include "tools/heft/refuse_overwriting_inputs.hpp"

namespace heft::tools {

namespace {

struct RowsFlags {
  std::string robot, states, kind = "torque", out;
  RobotOptions options;
  int threads = 0;
};

std::vector<std::string> kind_names() {
  std::vector<std::string> names;
  for (const auto& entry : EnumNames<MechanicsRow>::kList) names.push_back(entry.name);
  return names;
}

Result<RowsFile> make_rows(const RowsFlags& flags) {
  const auto kind = enum_value<MechanicsRow>(flags.kind);
  if (!kind)
    return Error{"--kind", "unknown kind of rows '" + flags.kind + "'",
                 name_hint(flags.kind, kind_names(), "one of:")};
  if (flags.threads < 0) return Error{"--threads", "is negative", "0 uses all hardware threads"};
  HEFT_TRY(robot, read_robot(flags.robot, flags.options));
  HEFT_TRY(mechanics, Mechanics::make(robot));
  TerminalProgress progress;
  return write_rows(mechanics, *kind, flags.states, flags.out, threads_of_command(flags.threads),
                    std::ref(progress));
}

int run_rows(const RowsFlags& flags) {
  if (auto spared = refuse_overwriting_inputs(
          {flags.out}, {flags.robot, flags.states, flags.options.rotors_path});
      !spared)
    return fail(spared.error());
  const auto summary = make_rows(flags);
  if (!summary) return fail(summary.error());
  std::printf("%s: %s rows, %lld states x %d x %d parameters\n", flags.out.c_str(),
              flags.kind.c_str(), static_cast<long long>(summary->num_states), summary->num_rows,
              summary->num_parameters);
  return kSuccess;
}

}  // namespace

void add_rows(CLI::App& app, Command& run) {
  CLI::App* command = app.add_subcommand(
      "rows", "write the regressors of torque, energy, power and momentum at given states");
  auto flags = std::make_shared<RowsFlags>();
  command->add_option("--robot", flags->robot, "robot description (URDF)")->required();
  command->add_option("--rotors", flags->options.rotors_path,
                      "YAML file with motor rotors as bodies");
  add_locked_flag(*command, flags->options);
  command->add_flag(
      "--floating", flags->options.floating_base,
      "the root link moves freely; its pose, velocity and acceleration come first in q, qd and qdd, as in "
      "Pinocchio");
  command
      ->add_option(
          "--states", flags->states,
          "one state per row: NPY with the columns q, qd, qdd in the order of the robot's joints, or a table "
          "(CSV, HDF5) with the columns q_<joint>, qd_<joint>, qdd_<joint>")
      ->required();
  command
      ->add_option(
          "--kind", flags->kind,
          fmt::format(
              "{}; potential energy is zero at the world's origin, and the torques of world_.. are about "
              "that origin",
              fmt::join(kind_names(), ", ")))
      ->capture_default_str();
  command
      ->add_option(
          "--out", flags->out,
          "NPY to write: states x channels x (10 per body); energies and power: states x 1 x ..; world_..: "
          "states x 6 x .., forces first")
      ->required();
  command->add_option("--threads", flags->threads, "0: all hardware threads")
      ->capture_default_str();
  command->footer(
      "Example:\n"
      "  heft rows --robot arm.urdf --states states.npy --kind momentum --out momentum.npy\n"
      "Parameters of a body: m, mcx, mcy, mcz, Ixx, Ixy, Iyy, Ixz, Iyz, Izz about the origin of its frame; "
      "bodies are ordered as in result.json.");
  command->callback([flags, &run] { run = [flags] { return run_rows(*flags); }; });
}

}  // namespace heft::tools
