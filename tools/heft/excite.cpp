#include "tools/heft/excite.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>

#include "base/parallel_for.hpp"
#include "excite_config/design_input.hpp"
#include "excite_config/excite_options.hpp"
#include "heft/excite/design.hpp"
#include "heft/robot/robot_document.hpp"
#include "tools/heft/excite_study.hpp"
#include "tools/heft/locked_flag.hpp"
#include "tools/heft/print.hpp"
#include "tools/heft/progress.hpp"
#include "tools/heft/refuse_overwriting_inputs.hpp"

namespace heft::tools {

namespace {

struct ExciteFlags {
  DesignInput input;
  std::string judge, against, config, out;
  std::string objective = "d", motion = "spline", base = "none";
  std::string study;
  bool quiet = false;
};

template <class Enum>
std::vector<std::string> names_of() {
  std::vector<std::string> names;
  for (const auto& entry : EnumNames<Enum>::kList) names.emplace_back(entry.name);
  return names;
}

Result<DesignTask> read_task_of(const ExciteFlags& flags) {
  DesignInput input = flags.input;
  input.base = *enum_value<BaseHold>(flags.base);
  input.motion = *enum_value<ExcitationMotion>(flags.motion);
  input.options.objective = *enum_value<ExcitationObjective>(flags.objective);
  if (!flags.config.empty())
    input.of_joints.push_back([&](const Robot& robot, ExciteOptions& options) {
      return read_excite_options(flags.config, robot, options);
    });
  HEFT_TRY(task, read_design_input(std::move(input)));
  if (task.options.threads < 0)
    return Error{"--threads", "is negative", "0 uses all hardware threads"};
  if (!flags.judge.empty() && task.options.backend != BackendKind::cpu)
    return Error{"--backend", "applies to a search, not to --judge",
                 "omit it: one motion is judged on the CPU"};
  task.options.threads = threads_of_command(task.options.threads);
  return task;
}

/// Evaluates a design's trajectory.json by its coefficients, any other file by its samples.
Result<Design> judged(const DesignTask& task, const std::string& path) {
  if (std::filesystem::path(path).extension() == ".json") {
    HEFT_TRY(motion, read_trajectory(path, task.robot));
    return judge_motion(task.robot, motion, task.options, task.moments());
  }
  HEFT_TRY(motion, read_motion(path, task.robot));
  return judge_motion(task.robot, motion, task.options, task.moments());
}

Result<Design> make_design(const ExciteFlags& flags) {
  HEFT_TRY(task, read_task_of(flags));
  std::optional<Design> other;
  if (!flags.against.empty()) {  // before the search, so that errors come at once
    HEFT_TRY(of_other, judged(task, flags.against));
    other = std::move(of_other);
  }
  TerminalProgress progress;
  const Progress quiet, loud = std::ref(progress);
  auto design = !flags.judge.empty() ? judged(task, flags.judge)
                                     : design_excitation(task.robot, task.options, task.moments(),
                                                         flags.quiet ? quiet : loud);
  if (design && other) design->efficiency = d_efficiency(*design, *other);
  return design;
}

int run_excite(const ExciteFlags& flags) {
  std::vector<std::string> inputs = files_of(flags.input);
  inputs.insert(inputs.end(), {flags.judge, flags.against, flags.config});
  if (auto spared = refuse_overwriting_inputs(design_files(flags.out), inputs); !spared)
    return fail(spared.error());
  const auto design = make_design(flags);
  if (!design) return fail(design.error());
  const auto files = write_design(*design, flags.out);
  if (!files) return fail(files.error());
  print(design_summary(*design));
  for (const std::string& file : *files) std::printf("%s\n", file.c_str());
  if (design->status == DesignStatus::budget) return kStopped;
  return design->status == DesignStatus::feasible ? kSuccess : kBadInput;
}

}  // namespace

std::vector<std::string> design_files(const std::string& folder) {
  std::vector<std::string> files;
  for (const char* name : {"design.json", "report.html", "trajectory.csv", "trajectory.ros2.yaml",
                           "trajectory.json", "slow.csv", "slow.ros2.yaml"})
    files.push_back((std::filesystem::path(folder) / name).string());
  return files;
}

void add_excite(CLI::App& app, Command& run) {
  CLI::App* command = app.add_subcommand(
      "excite", "design the most informative motion to record, within the robot's limits");
  auto flags = std::make_shared<ExciteFlags>();
  DesignInput& input = flags->input;
  ExciteOptions& options = input.options;
  command->add_option("--robot", input.robot, "robot description (URDF)");
  command->add_option(
      "--study", flags->study,
      "YAML file with robots: [arm.urdf, ..], designs: [{duration: 10}, ..] and starts: designs motions "
      "for all robots and options in one run; with --out, --threads, --backend and --quiet alone");
  command->add_option("--rotors", input.robot_options.rotors_path,
                      "YAML file with motor rotors as bodies");
  add_locked_flag(*command, input.robot_options);
  command->add_option("--known", input.known,
                      "moments of existing logs (*.heft); the motion adds to their information");
  command
      ->add_option(
          "--base", flags->base,
          "how a floating base is held: hung (in the air), table (on a table that only the base may touch) or "
          "none (floating bases are refused)")
      ->check(CLI::IsMember(names_of<BaseHold>()))
      ->capture_default_str();
  command->add_option(
      "--task", input.task,
      "the robot's task, for --objective i and the expected errors: CSV of states, q_<joint> (qd_, qdd_), or "
      "of a log, with t");
  command->add_option(
      "--from", input.from,
      "trajectory.json of a design that the search starts from; also sets --motion and --duration unless "
      "they are given");
  command->add_option(
      "--start", input.start,
      "JSON {\"joint\": position [rad, m]} of all joints: the posture in which the motion begins and ends");
  command->add_option("--floor", options.clearance.floor,
                      "height of a level floor in base axes [m], which nothing may touch");
  command->add_option(
      "--obstacles", input.obstacles,
      "YAML, obstacles: [{name, box: [x, y, z] | cylinder: {radius, length} | sphere: "
      "{radius}, position, rpy}] "
      "in base axes [m, rad]");
  command->add_option("--srdf", options.clearance.srdf_path,
                      "SRDF file; pairs of links that it disables may touch");
  command->add_option("--package-path", options.clearance.package_folders,
                      "folder with the packages of package:// meshes; may be given several times");
  command->add_flag("--ignore-collisions", options.clearance.ignore,
                    "check no collisions, not even between links");
  const auto* const duration =
      command->add_option("--duration", options.shape.duration, "duration of the motion [s]")
          ->capture_default_str();
  command->add_option("--rate", options.rate_hz, "samples per second in the files [Hz]")
      ->capture_default_str();
  command
      ->add_option(
          "--objective", flags->objective,
          "d: all parameters; i: torques of a task; a: mean variance; e: the least certain parameter; "
          "condition: "
          "for comparison")
      ->check(CLI::IsMember(names_of<ExcitationObjective>()))
      ->capture_default_str();
  const auto* const motion =
      command
          ->add_option(
              "--motion", flags->motion,
              "spline: rest to rest; fourier: periodic; fourier_rest: periodic, with one moment of rest; poses: "
              "postures at rest")
          ->check(CLI::IsMember(names_of<ExcitationMotion>()))
          ->capture_default_str();
  command->add_option(
      "--intervals", input.intervals,
      "intervals between the knots of splines (default two per second), or harmonics of Fourier series "
      "(default 5)");
  command
      ->add_option("--starts", options.starts,
                   "starts of the search, each from a different random motion")
      ->capture_default_str();
  command
      ->add_option("--seed", options.seed,
                   "seed of the random motions; the same seed finds the same design")
      ->capture_default_str();
  command
      ->add_option("--time-budget", options.time_budget_s,
                   "seconds after which the search returns the best motion so far; 0: no limit")
      ->capture_default_str();
  const auto* const threads =
      command
          ->add_option("--threads", options.threads,
                       "0: all hardware threads, which is the default of --study")
          ->capture_default_str();
  command
      ->add_option(
          "--backend", options.backend,
          "where motions are evaluated: cpu, cuda (all starts together on a device), or auto (the "
          "device if it is twice as fast, as measured in the run; results may then differ by "
          "rounding)")
      ->transform(CLI::CheckedTransformer(
                      std::map<std::string, BackendKind>{{"auto", BackendKind::automatic},
                                                         {"cpu", BackendKind::cpu},
                                                         {"cuda", BackendKind::cuda}})
                      .description("{auto,cpu,cuda}"))
      ->type_name("TEXT")
      ->default_str("cpu");
  command->add_option(
      "--judge", flags->judge,
      "evaluate this motion instead of searching for one: CSV with t, q_<joint> (qd_, qdd_), or "
      "trajectory.json of a design, whose limits are also verified between samples");
  command->add_option(
      "--against", flags->against,
      "a motion as for --judge; d_efficiency_vs_judged in design.json compares the design's information with "
      "that of this motion");
  command->add_option(
      "--speed", options.slow_speed,
      "also write a slow first run, slow.csv and slow.ros2.yaml: the same path at this fraction of the "
      "speed, such as 0.2, with its limits checked");
  command->add_option(
      "--until-mass", options.mass_share,
      "extend the motion beyond --duration until every mass is known to this relative error: 0.05 for 5 %");
  command->add_option(
      "--config", flags->config,
      "YAML: limits (position, velocity, acceleration, jerk, torque: scale, values; "
      "clearance: m) and beliefs");
  command->add_flag("--quiet", flags->quiet, "print no progress");
  command
      ->add_option(
          "--out", flags->out,
          "directory for design.json, report.html, trajectory.csv, trajectory.ros2.yaml and trajectory.json; "
          "of a study, for study.json, study.html and a folder per robot and design")
      ->required();
  command->footer(
      "Exit codes: 0 feasible; 1 no motion is feasible, or bad input; 5 none was found in time. Studies: 0 if\n"
      "all designs are feasible, 1 if any is not, 5 if any was not found in time or the run was stopped.\n"
      "Example:\n"
      "  heft excite --robot arm.urdf --config limits.yaml --duration 10 --rate 250 --out design\n"
      "  heft excite --robot arm.urdf --config limits.yaml --judge mine.csv --out judged\n"
      "  heft excite --study study.yaml --out study");
  command->callback([flags, duration, motion, threads, command, &run] {
    if (!flags->study.empty()) {
      refuse_beside_study(*command);
      run = [flags, threads, options = &flags->input.options] {
        return run_study_file({.file = flags->study,
                               .out = flags->out,
                               .threads = threads->count() > 0 ? options->threads : 0,
                               .backend = options->backend,
                               .is_quiet = flags->quiet});
      };
      return;
    }
    if (flags->input.robot.empty()) throw CLI::RequiredError("--robot");
    flags->input.has_duration = duration->count() > 0;
    flags->input.has_motion = motion->count() > 0;
    run = [flags] { return run_excite(*flags); };
  });
}

}  // namespace heft::tools
