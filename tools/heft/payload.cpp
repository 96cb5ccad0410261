#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>

#include "heft/config/module_options.hpp"
#include "heft/robot/robot_document.hpp"
#include "payload_config/payload_options.hpp"
#include "readers/log_formats.hpp"
#include "report/result_document.hpp"
#include "tools/heft/command.hpp"
#include "tools/heft/number_checks.hpp"
#include "tools/heft/payload_flags.hpp"
#include "tools/heft/print.hpp"
#include "tools/heft/progress.hpp"
#include "tools/heft/refuse_overwriting_inputs.hpp"

namespace heft::tools {

namespace {

constexpr const char* kPayloadOutputs[] = {
    "result.json",    "report.html",       "payload.urdf", "payload_franka.json",
    "payload_ur.txt", "payload_ros2.yaml", "points.csv",   "zero.yaml"};

std::vector<std::string> method_names() {
  std::vector<std::string> names;
  for (const auto& entry : EnumNames<PayloadMethod>::kList) names.emplace_back(entry.name);
  names.emplace_back("all");
  return names;
}

/// Accepts the doubts with these ids. An unknown id is an error except in a batch, where it may
/// belong to another payload.
Result<Done> accept(const std::vector<std::string>& ids, bool is_batch,
                    std::vector<PayloadDoubt>& doubts) {
  for (const std::string& id : ids) {
    bool found = false;
    for (PayloadDoubt& doubt : doubts)
      if (doubt.id == id) doubt.accepted = found = true;
    if (found || is_batch) continue;
    std::string open;
    for (const PayloadDoubt& doubt : doubts) open += (open.empty() ? "" : ", ") + doubt.id;
    return Error{"--accept " + id, "is not a doubt of this result",
                 open.empty() ? "omit it: the result has no doubts" : "one of: " + open};
  }
  return Done{};
}

Result<Done> check_names(const PayloadFlags& flags) {
  const int ways = int{!flags.logs.empty()} + int{!flags.batch.empty()} + int{flags.follow};
  if (flags.plan && (!flags.batch.empty() || flags.follow || flags.zero || !flags.model.empty()))
    return Error{
        "--plan", "proposes poses for one payload on a sensor",
        "name the poses recorded so far with --log, or none; omit --batch, --follow, --zero and --model"};
  if (ways != 1 && !flags.plan)
    return Error{
        "--log", ways == 0 ? "is missing" : "only one of --log, --batch and --follow can be used",
        "use one of --log for logs of one payload, --batch for a table of payloads, and --follow "
        "for samples from standard input"};
  if (flags.model.empty() != flags.link.empty())
    return Error{
        flags.model.empty() ? "--link" : "--model", "is given alone",
        "give both: --model names the result of heft identify, --link the link that carries the payload"};
  if (!flags.model.empty() && flags.follow)
    return Error{"--model", "needs logs of the loaded robot",
                 "name them with --log, or a table of them with --batch"};
  if (flags.robot.empty() != flags.sensor_link.empty())
    return Error{
        flags.robot.empty() ? "--robot" : "--sensor-link", "is missing",
        "give both: --robot names the URDF of the logged joints, --sensor-link the link that carries the "
        "sensor"};
  if (!flags.robot.empty() && !flags.model.empty())
    return Error{"--robot", "cannot be combined with --model",
                 "use --robot for a sensor on a link, or --model for joint torques"};
  if (flags.zero && (flags.logs.empty() || !flags.known_tool.empty()))
    return Error{"--zero",
                 "calibrates a sensor and the tool that stays on it, from logs without a payload",
                 "name the logs with --log, without --known-tool"};
  if (flags.backend != BackendKind::cpu && (flags.batch.empty() || !flags.model.empty()))
    return Error{
        "--backend", "applies to a batch of payloads on sensors",
        "omit it: a single payload, or one weighed by joint torques, is solved on the CPU"};
  if (!flags.until.empty() && !flags.follow)
    return Error{"--until", "applies only with --follow", "omit it"};
  if (flags.out.empty() && !flags.follow)
    return Error{"--out", "is empty or missing",
                 "name a directory, which is created if it is missing"};
  for (const std::string& log : flags.logs)
    if (log.empty())
      return Error{"--log", "is empty", "name a file; a shell variable may be empty"};
  return Done{};
}

}  // namespace

std::vector<Log> logs_of(const PayloadFlags& flags) {
  std::vector<Log> logs;
  for (const std::string& words : flags.logs) logs.push_back(log_of_files(words));
  return logs;
}

std::vector<PayloadMethod> payload_methods_of(const std::vector<std::string>& names) {
  std::vector<PayloadMethod> methods;
  const auto add = [&](PayloadMethod method) {
    if (std::find(methods.begin(), methods.end(), method) == methods.end())
      methods.push_back(method);
  };
  for (const std::string& name : names) {
    if (name == "all")
      for (const auto& entry : EnumNames<PayloadMethod>::kList) add(entry.value);
    else
      add(*enum_value<PayloadMethod>(name));
  }
  return methods;
}

namespace {

/// Takes tool and offset from an earlier run with --zero. Error if the configuration describes the
/// sensor differently.
Result<Done> take_known_tool(const PayloadFlags& flags, PayloadOptions& options) {
  if (flags.known_tool.empty()) return Done{};
  namespace fs = std::filesystem;
  std::string path = flags.known_tool;
  if (std::error_code ignored; fs::is_directory(path, ignored))
    path = (fs::path(path) / "zero.yaml").string();
  HEFT_TRY(calibrated, read_payload_options(path));
  const SensorOptions &found = calibrated.sensor, &given = options.sensor;
  if (!found.tool)
    return Error{path, "has no payload.known_tool", "write it with heft payload --zero"};
  if (given.tool)
    return Error{"--known-tool", "cannot be combined with payload.known_tool of the configuration",
                 "keep one of them"};
  // files of earlier versions have no `down`
  const bool has_same_down =
      given.down.isApprox(found.down, 1e-9) || place_of_option(path, "payload.down").empty();
  const bool has_same_gravity =
      !given.gravity || !found.gravity || *given.gravity == *found.gravity;
  const bool is_same = given.sign == found.sign && given.wrench_frame == found.wrench_frame &&
                       has_same_down && has_same_gravity &&
                       given.mounting.isApprox(found.mounting, 1e-9);
  if (!flags.config.empty() && !is_same)
    return Error{
        path,
        "was calibrated with a sign, frame, mounting, down or gravity of the sensor that differs from that in " +
            flags.config,
        "make them the same, or calibrate again"};
  if (flags.config.empty()) {
    options.sensor = found;
    options.bias = calibrated.bias;
  } else {
    options.sensor.tool = found.tool;
    if (found.gravity) options.sensor.gravity = found.gravity;
    if (found.tool->has_bias && place_of_option(flags.config, "payload.bias").empty())
      options.bias = BiasKind::none;
  }
  return Done{};
}

Result<Done> take_changes(const PayloadFlags& flags, PayloadOptions& options) {
  if (flags.changes.empty()) return Done{};
  HEFT_TRY(read,
           payload_options_from_yaml("payload: {changes: [" + flags.changes + "]}", "--changes"));
  options.changes = read.changes, options.finds_changes = read.finds_changes;
  return Done{};
}

}  // namespace

Result<PayloadInput> payload_input_of(const PayloadFlags& flags) {
  PayloadInput input;
  PayloadOptions& options = input.options;
  Configuration configuration;
  if (!flags.config.empty()) {
    HEFT_TRY(read, flags.robot.empty() ? read_payload_options(flags.config)
                                       : read_payload_options(flags.config, configuration));
    options = read;
  }
  HEFT_CHECK(take_known_tool(flags, options));
  HEFT_CHECK(take_changes(flags, options));
  options.is_calibration = flags.zero;
  if (!flags.model.empty()) {
    HEFT_TRY(robot, CarryingRobot::read(flags.model, flags.link));
    input.on_robot = robot;
  }
  if (flags.zero && !input.on_robot && options.bias == BiasKind::none)
    return Error{"--zero",
                 "calibrates the offset of the sensor, but payload.bias: none excludes it",
                 "set payload.bias to constant"};
  if (!flags.robot.empty()) {
    HEFT_TRY(robot, read_robot(flags.robot, robot_options(configuration)));
    input.on_link =
        SensorOnLink{robot, flags.sensor_link, configuration.log, configuration.conditioning};
  }
  options.prior.mesh = flags.shape;
  if (!flags.pose.empty()) {
    if (flags.shape.empty() && flags.batch.empty() && !options.prior.primitive &&
        options.prior.parts.empty())
      return Error{
          "--pose", "needs a shape",
          "give --shape, or one of payload.prior.box, ball, cylinder and parts in the configuration"};
    HEFT_TRY(pose, pose_of(flags.pose, "--pose"));
    options.prior.pose = pose;
  }
  return input;
}

int payload_exit_code(const PayloadResult& result) {
  const auto& certificate = result.answer().certificate;
  if (certificate && !certificate->certified) return kNotCertified;
  return has_open_doubt(result.doubts) ? kOpenPayloadDoubt : kSuccess;
}

std::vector<std::string> payload_inputs_of(const PayloadFlags& flags) {
  std::vector<std::string> inputs = {flags.batch, flags.config, flags.robot, flags.known_tool};
  if (flags.model.empty()) return inputs;
  const std::filesystem::path model = result_path_of(flags.model);
  inputs.insert(inputs.end(), {model.string(), identified_file_in(model.parent_path().string()),
                               (model.parent_path() / "rotors.yaml").string()});
  return inputs;
}

namespace {

PayloadRequest request_of(const PayloadFlags& flags, const PayloadInput& input,
                          const PayloadShape& shape, const std::vector<Log>& logs,
                          const Progress& progress) {
  return {.logs = logs,
          .on_link = input.on_link,
          .options = input.options,
          .shape = shape,
          .methods = payload_methods_of(flags.methods),
          .progress = progress};
}

}  // namespace

Result<PayloadResult> weigh_and_accept(const PayloadFlags& flags, const PayloadInput& input,
                                       const PayloadShape& shape, const std::vector<Log>& logs,
                                       const Progress& progress) {
  const PayloadRequest request = request_of(flags, input, shape, logs, progress);
  const int threads = flags.batch.empty() ? 0 : 1;  // a batch distributes its payloads over threads
  HEFT_TRY(result, input.on_robot ? weigh_on_robot(*input.on_robot, request, threads)
                                  : weigh_logs(request));
  HEFT_CHECK(accept(flags.accepted, !flags.batch.empty(), result.doubts));
  return result;
}

Result<PayloadResult> weigh_and_accept(const PayloadFlags& flags, const PayloadInput& input,
                                       const PayloadShape& shape, const std::vector<Log>& logs,
                                       SolvedAhead ahead) {
  HEFT_TRY(result, weigh_read(request_of(flags, input, shape, logs, {}), std::move(ahead.read),
                              &ahead.answer));
  HEFT_CHECK(accept(flags.accepted, true, result.doubts));
  return result;
}

namespace {

int run_payload(const PayloadFlags& flags) {
  if (auto named = check_names(flags); !named) return fail(named.error());
  if (!flags.batch.empty()) return run_payload_batch(flags);
  if (flags.follow) return run_payload_follow(flags);
  if (flags.plan) return run_payload_plan(flags);
  std::vector<std::string> outputs, inputs = payload_inputs_of(flags);
  for (const char* name : kPayloadOutputs)
    outputs.push_back((std::filesystem::path(flags.out) / name).string());
  for (const std::string& words : flags.logs)
    for (const std::string& path : files_of_log(words)) inputs.push_back(path);
  inputs.push_back(flags.shape);
  if (auto spared = refuse_overwriting_inputs(outputs, inputs); !spared)
    return fail(spared.error());
  const auto input = payload_input_of(flags);
  if (!input) return fail(input.error());
  const auto shape = read_payload_shape(input->options.prior);
  if (!shape) return fail(shape.error());
  const auto result = [&] {
    TerminalProgress progress(flags.quiet);
    return weigh_and_accept(flags, *input, *shape, logs_of(flags), std::ref(progress));
  }();
  if (!result) return fail(result.error());
  const auto files = write_payload(*result, flags.out);
  if (!files) return fail(files.error());
  if (!flags.quiet) print(payload_summary(*result) + "\n");
  for (const std::string& file : *files) std::printf("%s\n", file.c_str());
  for (const PayloadDoubt& doubt : result->doubts)
    if (doubt.serious && !doubt.accepted) print("doubt:  " + doubt.what + "\n");
  return payload_exit_code(*result);
}

}  // namespace

void add_payload(CLI::App& app, Command& run) {
  CLI::App* command = app.add_subcommand(
      "payload",
      "identify a payload from a force-torque sensor or joint torques: mass, center of mass, inertia");
  auto flags = std::make_shared<PayloadFlags>();
  command->add_option(
      "--log", flags->logs,
      "log of the sensor (" + titles_of_log_formats() +
          "), in its frame: t,wx..wz,alx..alz,ax..az,gx..gz,fx..fz,nx..nz in SI units (gravity, or an "
          "orientation r11..r33 or qx..qw); or poses at rest: r11..r33, qx..qw or gx..gz, fx..fz,nx..nz. F+G: "
          "columns of one log in several files with their own clocks, the fastest first. Each of several "
          "logs of "
          "one payload has its own bias");
  command->add_option(
      "--batch", flags->batch,
      "CSV of id,log,shape, one payload per row, with paths relative to its folder; shape may be empty; "
      "writes results/ID/result.json, batch.json and batch.csv");
  command->add_flag(
      "--follow", flags->follow,
      "read samples from standard input, with the names of the columns first, and print one line of JSON per "
      "update: t, mass, com, interval, certified, us; write the files of --out at the end, if given");
  command->add_flag(
      "--zero", flags->zero,
      "calibrate: weigh the tool that stays on the sensor and write it and the sensor's offset to zero.yaml "
      "in --out, for --known-tool in later runs");
  command->add_option(
      "--known-tool", flags->known_tool,
      "zero.yaml of --zero, or its folder: subtract tool and offset and include their errors in the intervals");
  command->add_flag(
      "--plan", flags->plan,
      "propose the next poses at rest, in addition to those of --log, if any; with --robot as postures of "
      "the robot; writes plan.json");
  command->add_option("--poses", flags->num_poses, "number of poses that --plan proposes")
      ->check(CLI::Range(1, 100))
      ->capture_default_str();
  command->add_option(
      "--changes", flags->changes,
      "times of the log [s] at which the body on the sensor changes, t1,t2,.. or auto; each stretch is "
      "weighed separately with one common offset (stretches in result.json)");
  command->add_option(
      "--until", flags->until,
      "stop --follow when half the 95 % interval falls below this: \"mass 1 %\" or \"com 5 mm\"");
  command->add_option("--every", flags->every, "time between updates of --follow [s]")
      ->check(not_negative())
      ->capture_default_str();
  command->add_flag("--quiet", flags->quiet,
                    "print only doubts and the paths of the files, no tables and no progress");
  command
      ->add_option(
          "--backend", flags->backend,
          "backend for the convex problems of a batch, many payloads at once: cpu, cuda, or auto (a "
          "device if it saves more than its start)")
      ->transform(CLI::CheckedTransformer(
                      std::map<std::string, BackendKind>{{"auto", BackendKind::automatic},
                                                         {"cpu", BackendKind::cpu},
                                                         {"cuda", BackendKind::cuda}})
                      .description("{auto,cpu,cuda}"))
      ->type_name("TEXT")
      ->default_str("cpu");
  command->add_option("--threads", flags->threads, "threads of a batch")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  command->add_option(
      "--robot", flags->robot,
      "URDF of the robot that carries the sensor: the log has t, q_<joint> and fx..nz, and the motion comes "
      "from q_<joint> (columns, filters and units as for heft identify, whose sections --config may have); "
      "rows half a second or more apart are poses at rest");
  command->add_option(
      "--sensor-link", flags->sensor_link,
      "link of --robot that carries the sensor; payload.mounting is the sensor's pose in it");
  command->add_option(
      "--model", flags->model,
      "output directory of heft identify: weigh the payload from the joint torques of that robot, from logs of "
      "the loaded robot (--log or --batch); the robot's uncertainty enters the payload's intervals");
  command->add_option("--link", flags->link,
                      "link of that robot that carries the payload; the result is in its frame");
  command->add_option("--shape", flags->shape,
                      "mesh of the payload in meters (STL, OBJ, DAE), the prior of its inertia");
  command
      ->add_option("--pose", flags->pose, "x,y,z,r,p,y [m, rad] of the shape in the sensor's frame")
      ->delimiter(',');
  command
      ->add_option(
          "--method", flags->methods,
          "methods that weigh the payload; the first gives the result, the others are listed next to it")
      ->check(CLI::IsMember(method_names()))
      ->capture_default_str();
  command->add_option(
      "--config", flags->config,
      "YAML file with a payload section: wrench, sign, wrench_frame, orientation, quaternion, "
      "gravity, mounting, "
      "bias, bias_changes, wrench_delay_s, "
      "known_tool, changes, lowpass_hz, prior, prior_weight, gamma, c1, lambda, known_mass, density, "
      "com_region, within_shape; with --model also estimation: {torque_scale_sd: ..}");
  command->add_option(
      "--out", flags->out,
      "directory for result.json, report.html, payload.urdf, points.csv and files for Franka, "
      "UR and ROS 2");
  command->add_option("--accept", flags->accepted,
                      "id of a doubt that you have investigated; may be given several times");
  command->footer(
      "Exit codes: 0 done; 1 bad input; 3 not certified; 4 done, but a serious doubt about the log is open "
      "(its line begins with \"doubt:\").\n"
      "Sign: the wrench that the sensor exerts on the payload; set payload.sign to -1 for a sensor that "
      "reports the opposite.\n"
      "Example:\n"
      "  heft payload --log shaken.csv --shape drill.stl --pose 0,0,0.02,0,0,0 --method all --out drill\n"
      "  heft payload --model result --link gripper --log loaded.csv --out grasped");
  command->callback([flags, &run] { run = [flags] { return run_payload(*flags); }; });
}

}  // namespace heft::tools
