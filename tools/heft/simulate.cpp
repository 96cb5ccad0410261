#include "heft/simulate/simulate.hpp"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <utility>

#include "files/whole_file.hpp"
#include "heft/config/module_options.hpp"
#include "heft/log/motion_table.hpp"
#include "heft/robot/robot_document.hpp"
#include "tools/heft/command.hpp"
#include "tools/heft/locked_flag.hpp"
#include "tools/heft/progress.hpp"
#include "tools/heft/refuse_overwriting_inputs.hpp"

namespace heft::tools {

namespace {

struct SimulateFlags {
  std::string robot, motion, config, gait;
  std::string out = "heft_demo";
  double held_out_s = 10;
  RobotOptions robot_options;
  SimulateOptions options;
};

/// Empty, or what is wrong with a seed: larger numbers would all become the largest one.
std::string seed_complaint(const std::string& text) {
  constexpr std::string_view kLargest = "18446744073709551615";  // 2^64 - 1
  const bool is_whole = !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
  const bool fits =
      text.size() < kLargest.size() || (text.size() == kLargest.size() && text <= kLargest);
  return is_whole && fits
             ? ""
             : "'" + text + "' is not a whole number from 0 to " + std::string(kLargest);
}

/// Errors name options by their flags.
Error on_command_line(Error error) {
  if (error.where == "simulate") return error;
  if (error.where == "latency_s") error.where = "latency";
  if (error.where == "torque_lowpass_hz") error.where = "torque-lowpass";
  if (error.where == "contact_delay_s") error.where = "contact-delay";
  std::replace(error.where.begin(), error.where.end(), '_', '-');
  error.where.insert(0, "--");
  return error;
}

/// Adds what the configuration says about the robot, its base and its feet.
Result<Done> apply_configuration(SimulateFlags& flags) {
  if (!flags.gait.empty()) {
    const auto gait = enum_value<Gait>(flags.gait);
    if (!gait)
      return Error{"--gait", "unknown choice '" + flags.gait + "'",
                   "give stance, step, trot, flight, hung or mounted"};
    flags.options.base.gait = *gait;
  }
  if (!flags.config.empty()) {
    HEFT_TRY(configuration, read_configuration(flags.config));
    auto locked = std::move(flags.robot_options.locked_joints);
    flags.robot_options = robot_options(configuration);
    if (!locked.empty()) flags.robot_options.locked_joints = std::move(locked);
    for (const SensorSpec& sensor : configuration.sensors) flags.options.sensors.push_back(sensor);
    flags.options.base.sensors = configuration.conditioning.base;
    flags.options.base.wrenches = configuration.wrenches;
    flags.options.base.contacts = configuration.contacts;
  }
  const SimulatedBase& base = flags.options.base;
  const bool has_base = !flags.gait.empty() || !base.wrenches.empty() || !base.contacts.empty();
  if (has_base && !flags.robot_options.floating_base)
    return Error{flags.gait.empty() ? "wrenches" : "--gait",
                 "only robots with a floating base are simulated with contacts",
                 "add robot: {floating_base: true} to the --config file"};
  return Done{};
}

int run_simulate(SimulateFlags flags) {
  namespace fs = std::filesystem;
  if (auto applied = apply_configuration(flags); !applied) return fail(applied.error());
  SimulateOptions held_out = flags.options;
  held_out.duration_s = flags.held_out_s;
  held_out.trajectory_seed = flags.options.trajectory_seed + 1;
  for (const SimulateOptions& options : {flags.options, held_out})
    if (auto valid = check_simulation(options); !valid) return fail(on_command_line(valid.error()));
  RobotOptions apart = flags.robot_options;
  for (const SensorSpec& sensor : flags.options.sensors)
    apart.separate_links.push_back(sensor.link);
  auto robot = read_robot(flags.robot, apart);
  if (!robot) return fail(robot.error());
  auto notes = simulation_notes(*robot);
  if (!notes) return fail(notes.error());
  for (const std::string& note : *notes) std::printf("note:  %s\n", note.c_str());
  auto truth = simulated_truth(*robot, flags.options);
  if (!truth) return fail(truth.error());
  const fs::path directory(flags.out);
  std::vector<std::string> outputs;
  for (const char* name : {"train.csv", "held_out.csv", "truth.json"})
    outputs.push_back((directory / name).string());
  if (auto spared = refuse_overwriting_inputs(outputs, {flags.robot, flags.motion, flags.config});
      !spared)
    return fail(spared.error());
  SimulateOptions train = flags.options;
  if (!flags.motion.empty()) {
    auto motion = read_motion(flags.motion, *robot);
    if (!motion) return fail(motion.error());
    train.motion.emplace();
    train.motion->time = motion->time;
    train.motion->position = motion->position;
    train.motion->velocity = motion->velocity;
    train.motion->acceleration = motion->acceleration;
    train.duration_s = motion->time[motion->size() - 1] - motion->time[0];
    train.rate_hz = static_cast<double>(motion->size() - 1) / train.duration_s;
  }
  if (auto made = make_folder(flags.out); !made) return fail(made.error());
  const std::pair<const char*, const SimulateOptions*> logs[] = {{"train.csv", &train},
                                                                 {"held_out.csv", &held_out}};
  for (const auto& [name, options] : logs) {
    TerminalProgress progress;
    auto done = simulate_log(*truth, *options, (directory / name).string(), std::ref(progress));
    if (!done) {
      const bool is_flag = done.error().where == "gait" || done.error().where == "latency_s";
      return fail(is_flag ? on_command_line(done.error()) : done.error());
    }
    std::printf("log:   %s (%.0f s at %.0f Hz)\n", (directory / name).c_str(), options->duration_s,
                options->rate_hz);
  }
  auto done = write_truth(*truth, (directory / "truth.json").string());
  if (!done) return fail(done.error());
  std::printf("truth: %s\n", (directory / "truth.json").c_str());
  return kSuccess;
}

}  // namespace

void add_simulate(CLI::App& app, Command& run) {
  CLI::App* command =
      app.add_subcommand("simulate", "simulate logs of a robot with known true parameters");
  auto flags = std::make_shared<SimulateFlags>();
  SimulateOptions& options = flags->options;
  command
      ->add_option("--robot", flags->robot,
                   "robot description (URDF); the true parameters are a random perturbation of it")
      ->required();
  command->add_option(
      "--out", flags->out,
      "output directory for train.csv, held_out.csv and truth.json (default heft_demo)");
  add_locked_flag(*command, flags->robot_options);
  command->add_option(
      "--motion", flags->motion,
      "CSV with t, q_<joint> (qd_, qdd_): the training log follows this motion at its rate");
  command->add_option("--duration", options.duration_s, "length of the training log [s]")
      ->capture_default_str();
  command->add_option("--held-out", flags->held_out_s, "length of the held-out log [s]")
      ->capture_default_str();
  command->add_option("--rate", options.rate_hz, "samples per second [Hz]")->capture_default_str();
  command->add_option("--seed", options.seed, "seed of the true parameters and the noise")
      ->capture_default_str()
      ->check(CLI::Validator(seed_complaint, "WHOLE"));
  command->add_option("--trajectory-seed", options.trajectory_seed, "seed of the training motion")
      ->capture_default_str()
      ->check(CLI::Validator(seed_complaint, "WHOLE"));
  command
      ->add_option("--perturbation", options.perturbation,
                   "size of the perturbation of the URDF's parameters; 0: none")
      ->capture_default_str();
  command
      ->add_option("--friction", options.friction,
                   "friction as a fraction of the joints' effort limits")
      ->capture_default_str();
  command
      ->add_option("--torque-noise", options.torque_noise,
                   "noise as a fraction of the joints' rms torque")
      ->capture_default_str();
  command
      ->add_option("--encoder-counts", options.encoder_counts,
                   "counts per revolution; 0: exact positions")
      ->capture_default_str();
  command
      ->add_option("--latency", options.latency_s,
                   "rows are sampled up to this long before their stamps [s]; 0: at their stamps")
      ->capture_default_str();
  command
      ->add_option("--torque-lowpass", options.torque_lowpass_hz,
                   "cutoff of a drive's first-order low-pass on the torque [Hz]; 0: none")
      ->capture_default_str();
  command
      ->add_option("--backlash", options.backlash,
                   "play between encoder and joint [rad or m]; 0: none")
      ->capture_default_str();
  command
      ->add_option("--friction-drift", options.friction_drift,
                   "share of the friction that is lost by the end of a log; 0: none")
      ->capture_default_str();
  command
      ->add_option("--speed", options.speed, "speed as a fraction of the joints' velocity limits")
      ->capture_default_str();
  command->add_option_function<std::vector<std::string>>(
      "--sensor",
      [&options](const std::vector<std::string>& links) {
        for (const std::string& link : links)
          options.sensors.push_back({.name = link, .link = link});
      },
      "link carried by a force-torque sensor, logged as tau_<link>_fx .. _nz");
  command->add_option(
      "--config", flags->config,
      "configuration file (YAML) with robot, base, wrenches, contacts and sensors: their "
      "columns are logged");
  command
      ->add_option(
          "--gait", flags->gait,
          "what supports a floating base: stance, step, trot, flight (feet of wrenches and "
          "contacts), hung (a rope), mounted (a six-axis sensor, logged as tau_base_fx .. _nz) "
          "(default stance)")
      ->type_name("NAME");
  const struct {
    const char *flag, *help;
    double* value;
  } base_flags[] = {
      {"--sway", "amplitude of the base's translation [m]", &options.base.sway},
      {"--tilt", "amplitude of the base's rotation [rad]", &options.base.tilt},
      {"--gyro-noise", "standard deviation of the gyroscope's noise [rad/s]",
       &options.base.gyro_noise},
      {"--accel-noise", "standard deviation of the accelerometer's noise [m/s^2]",
       &options.base.accel_noise},
      {"--gyro-bias", "standard deviation of the gyroscope's bias [rad/s]",
       &options.base.gyro_bias},
      {"--accel-bias", "standard deviation of the accelerometer's bias [m/s^2]",
       &options.base.accel_bias},
      {"--imu-rotation", "rotation of the IMU relative to its frame about a random axis [degrees]",
       &options.base.imu_rotation},
      {"--pose-noise", "standard deviation of logged positions of the base [m]",
       &options.base.pose_noise},
      {"--orientation-noise", "standard deviation of logged orientations of the base [rad]",
       &options.base.orientation_noise},
      {"--wrench-noise", "noise of measured wrenches as a fraction of a column's rms",
       &options.base.wrench_noise},
      {"--wrench-bias",
       "standard deviation of the biases of measured forces [N]; times 0.03 m for torques",
       &options.base.wrench_bias},
      {"--contact-delay", "delay of the flags and forces of contacts [s]",
       &options.base.contact_delay_s}};
  for (const auto& [flag, help, value] : base_flags)
    command->add_option(flag, *value, help)->capture_default_str()->group("Floating base");
  command->footer("Example:\n  heft simulate --robot arm.urdf --duration 20 --seed 7 --out demo");
  command->callback([flags, &run] { run = [flags] { return run_simulate(*flags); }; });
}

}  // namespace heft::tools
