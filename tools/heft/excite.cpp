#include "tools/heft/excite.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>

#include "base/parallel_for.hpp"
#include "excite_config/excite_options.hpp"
#include "excite_config/obstacles.hpp"
#include "heft/excite/design.hpp"
#include "heft/robot/robot_document.hpp"
#include "tools/heft/locked_flag.hpp"
#include "tools/heft/print.hpp"
#include "tools/heft/progress.hpp"
#include "tools/heft/refuse_overwriting_inputs.hpp"

namespace heft::tools {

namespace {

struct ExciteFlags {
  std::string robot, known, start, judge, against, config, obstacles, task, from, out;
  std::string objective = "d", motion = "spline", base = "none";
  RobotOptions robot_options;
  ExciteOptions options;
  int intervals = 0;
  bool has_duration = false, has_motion = false, quiet = false;
};

constexpr const char* kDesignOutputs[] = {
    "design.json",     "report.html", "trajectory.csv", "trajectory.ros2.yaml",
    "trajectory.json", "slow.csv",    "slow.ros2.yaml"};

template <class Enum>
std::vector<std::string> names_of() {
  std::vector<std::string> names;
  for (const auto& entry : EnumNames<Enum>::kList) names.emplace_back(entry.name);
  return names;
}

/// The input of the search, read from files and flags.
struct Question {
  Robot robot;
  ExciteOptions options;
  std::optional<TrainingData> known;

  const TrainingData* moments() const { return known ? &*known : nullptr; }
};

Result<Question> read_question(ExciteFlags flags) {
  HEFT_TRY(given, read_robot(flags.robot, flags.robot_options));
  flags.options.base = *enum_value<BaseHold>(flags.base);
  if (flags.options.base != BaseHold::none && !flags.robot_options.locked_joints.empty())
    return Error{"--joints.locked", "cannot be combined with --base",
                 "fix the joints in the robot file"};
  HEFT_TRY(robot, held_robot(given, flags.options.base));
  flags.options.objective = *enum_value<ExcitationObjective>(flags.objective);
  flags.options.shape.kind = *enum_value<ExcitationMotion>(flags.motion);
  if (!flags.from.empty()) {
    HEFT_TRY(from, read_trajectory(flags.from, robot));
    flags.options.from = from;
    if (!flags.has_motion) flags.options.shape.kind = from.shape.kind;
    if (!flags.has_duration) flags.options.shape.duration = from.shape.duration;
  }
  flags.options.shape.choose(flags.intervals);
  if (flags.options.from && flags.intervals == 0 &&
      flags.options.shape.kind == flags.options.from->shape.kind && !flags.has_duration)
    flags.options.shape = flags.options.from->shape;
  if (!flags.config.empty()) HEFT_CHECK(read_excite_options(flags.config, robot, flags.options));
  if (!flags.start.empty()) {
    HEFT_TRY(start, read_posture(flags.start));
    flags.options.start = start;
  }
  if (!flags.obstacles.empty()) {
    HEFT_TRY(obstacles, read_obstacles(flags.obstacles));
    flags.options.clearance.obstacles = obstacles;
  }
  if (!flags.task.empty()) {
    HEFT_TRY(task, read_task(flags.task, robot));
    flags.options.task = task;
  }
  std::optional<TrainingData> known;
  if (!flags.known.empty()) {
    HEFT_TRY(read, read_moments_file(flags.known));
    known = std::move(read);
  }
  if (flags.options.threads < 0)
    return Error{"--threads", "is negative", "0 uses all hardware threads"};
  flags.options.threads = threads_of_command(flags.options.threads);
  return Question{robot, flags.options, std::move(known)};
}

/// Evaluates a design's trajectory.json by its coefficients, any other file by its samples.
Result<Design> judged(const Question& question, const std::string& path) {
  if (std::filesystem::path(path).extension() == ".json") {
    HEFT_TRY(motion, read_trajectory(path, question.robot));
    return judge_motion(question.robot, motion, question.options, question.moments());
  }
  HEFT_TRY(motion, read_motion(path, question.robot));
  return judge_motion(question.robot, motion, question.options, question.moments());
}

Result<Design> make_design(const ExciteFlags& flags) {
  HEFT_TRY(question, read_question(flags));
  std::optional<Design> other;
  if (!flags.against.empty()) {  // before the search, so that errors come at once
    HEFT_TRY(of_other, judged(question, flags.against));
    other = std::move(of_other);
  }
  TerminalProgress progress;
  const Progress quiet, loud = std::ref(progress);
  auto design = !flags.judge.empty()
                    ? judged(question, flags.judge)
                    : design_excitation(question.robot, question.options, question.moments(),
                                        flags.quiet ? quiet : loud);
  if (design && other) design->efficiency = d_efficiency(*design, *other);
  return design;
}

int run_excite(const ExciteFlags& flags) {
  std::vector<std::string> outputs;
  for (const char* name : kDesignOutputs)
    outputs.push_back((std::filesystem::path(flags.out) / name).string());
  const std::vector<std::string> inputs = {flags.robot,
                                           flags.known,
                                           flags.start,
                                           flags.judge,
                                           flags.task,
                                           flags.from,
                                           flags.against,
                                           flags.config,
                                           flags.robot_options.rotors_path,
                                           flags.obstacles,
                                           flags.options.clearance.srdf_path};
  if (auto spared = refuse_overwriting_inputs(outputs, inputs); !spared)
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

void add_excite(CLI::App& app, Command& run) {
  CLI::App* command = app.add_subcommand(
      "excite", "design the most informative motion to record, within the robot's limits");
  auto flags = std::make_shared<ExciteFlags>();
  ExciteOptions& options = flags->options;
  command->add_option("--robot", flags->robot, "robot description (URDF)")->required();
  command->add_option("--rotors", flags->robot_options.rotors_path,
                      "YAML file with motor rotors as bodies");
  add_locked_flag(*command, flags->robot_options);
  command->add_option("--known", flags->known,
                      "moments of existing logs (*.heft); the motion adds to their information");
  command
      ->add_option(
          "--base", flags->base,
          "how a floating base is held: hung (in the air), table (on a table that only the base may touch) or "
          "none (floating bases are refused)")
      ->check(CLI::IsMember(names_of<BaseHold>()))
      ->capture_default_str();
  command->add_option(
      "--task", flags->task,
      "the robot's task, for --objective i and the expected errors: CSV of states, q_<joint> (qd_, qdd_), or "
      "of a log, with t");
  command->add_option(
      "--from", flags->from,
      "trajectory.json of a design that the search starts from; also sets --motion and --duration unless "
      "they are given");
  command->add_option(
      "--start", flags->start,
      "JSON {\"joint\": position [rad, m]} of all joints: the posture in which the motion begins and ends");
  command->add_option("--floor", options.clearance.floor,
                      "height of a level floor in base axes [m], which nothing may touch");
  command->add_option(
      "--obstacles", flags->obstacles,
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
      "--intervals", flags->intervals,
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
  command->add_option("--threads", options.threads, "0: all hardware threads")
      ->capture_default_str();
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
          "directory for design.json, report.html, trajectory.csv, trajectory.ros2.yaml and trajectory.json")
      ->required();
  command->footer(
      "Exit codes: 0 feasible; 1 no motion is feasible, or bad input; 5 none was found in time.\n"
      "Example:\n"
      "  heft excite --robot arm.urdf --config limits.yaml --duration 10 --rate 250 --out design\n"
      "  heft excite --robot arm.urdf --config limits.yaml --judge mine.csv --out judged");
  command->callback([flags, duration, motion, &run] {
    flags->has_duration = duration->count() > 0;
    flags->has_motion = motion->count() > 0;
    run = [flags] { return run_excite(*flags); };
  });
}

}  // namespace heft::tools
