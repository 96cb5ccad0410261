#include "heft/payload/files.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>

#include "heft/config/payload_options.hpp"
#include "tools/heft/command.hpp"
#include "tools/heft/refuse_overwriting_inputs.hpp"

namespace heft::tools {

namespace {

struct PayloadFlags {
  std::vector<std::string> logs, methods = {"auto"}, accepted;
  std::vector<double> pose;
  std::string shape, config, out;
};

constexpr int kOpenPayloadDoubt = 4;  ///< exit code of an answer with a serious doubt that nobody accepted

constexpr const char* kOutputs[] = {"result.json",         "report.html",    "payload.urdf",
                                    "payload_franka.json", "payload_ur.txt", "payload_ros2.yaml",
                                    "points.csv"};

std::vector<std::string> method_names() {
  std::vector<std::string> names;
  for (const auto& entry : EnumNames<PayloadMethod>::kList) names.emplace_back(entry.name);
  names.emplace_back("all");
  return names;
}

std::vector<PayloadMethod> methods_of(const std::vector<std::string>& names) {
  std::vector<PayloadMethod> methods;
  const auto add = [&](PayloadMethod method) {
    if (std::find(methods.begin(), methods.end(), method) == methods.end()) methods.push_back(method);
  };
  for (const std::string& name : names) {
    if (name == "all")
      for (const auto& entry : EnumNames<PayloadMethod>::kList) add(entry.value);
    else
      add(*enum_value<PayloadMethod>(name));
  }
  return methods;
}

Result<PayloadOptions> options_of(const PayloadFlags& flags) {
  PayloadOptions options;
  if (!flags.config.empty()) {
    HEFT_TRY(read, read_payload_options(flags.config));
    options = read;
  }
  options.prior.mesh = flags.shape;
  if (!flags.pose.empty()) {
    if (flags.shape.empty() && !options.prior.box)
      return Error{"--pose", "places nothing", "give --shape, or payload.prior.box in the configuration"};
    HEFT_TRY(pose, pose_of(flags.pose, "--pose"));
    options.prior.pose = pose;
  }
  return options;
}

Result<Done> accept(const std::vector<std::string>& ids, std::vector<PayloadDoubt>& doubts) {
  for (const std::string& id : ids) {
    bool found = false;
    for (PayloadDoubt& doubt : doubts)
      if (doubt.id == id) doubt.accepted = found = true;
    if (found) continue;
    std::string open;
    for (const PayloadDoubt& doubt : doubts) open += (open.empty() ? "" : ", ") + doubt.id;
    return Error{"--accept " + id, "there is no such doubt",
                 open.empty() ? "leave it out: nothing is in doubt" : "there are: " + open};
  }
  return Done{};
}

Result<Done> check_names(const PayloadFlags& flags) {
  if (flags.out.empty())
    return Error{"--out", "is empty", "name a directory, which is made if it is missing"};
  for (const std::string& log : flags.logs)
    if (log.empty()) return Error{"--log", "is empty", "name a file; the shell may have emptied a variable"};
  return Done{};
}

int exit_code_of(const PayloadResult& result) {
  const auto& certificate = result.answer().certificate;
  if (certificate && !certificate->certified) return kNotCertified;
  return has_open_doubt(result.doubts) ? kOpenPayloadDoubt : kSuccess;
}

Result<PayloadResult> weigh(const PayloadFlags& flags) {
  HEFT_TRY(options, options_of(flags));
  HEFT_TRY(shape, read_payload_shape(options.prior));
  std::vector<PayloadLog> logs;
  std::vector<WrenchSamples> samples;
  for (const std::string& path : flags.logs) {
    HEFT_TRY(read, read_wrench_log(path, options.sensor, logs.emplace_back()));
    samples.push_back(std::move(read));
  }
  HEFT_TRY(all, concatenated(samples));
  HEFT_TRY(result, weigh_payload(all, options, shape, methods_of(flags.methods)));
  for (const PayloadLog& log : logs)
    result.doubts.insert(result.doubts.begin(), log.doubts.begin(), log.doubts.end());
  result.logs = std::move(logs);
  HEFT_CHECK(accept(flags.accepted, result.doubts));
  return result;
}

int run_payload(const PayloadFlags& flags) {
  if (auto named = check_names(flags); !named) return fail(named.error());
  std::vector<std::string> outputs, inputs = flags.logs;
  for (const char* name : kOutputs) outputs.push_back((std::filesystem::path(flags.out) / name).string());
  inputs.push_back(flags.shape);
  inputs.push_back(flags.config);
  if (auto spared = refuse_overwriting_inputs(outputs, inputs); !spared) return fail(spared.error());
  const auto result = weigh(flags);
  if (!result) return fail(result.error());
  const auto files = write_payload(*result, flags.out);
  if (!files) return fail(files.error());
  std::fputs(payload_summary(*result).c_str(), stdout);
  std::fputs("\n", stdout);
  for (const std::string& file : *files) std::printf("%s\n", file.c_str());
  for (const PayloadDoubt& doubt : result->doubts)
    if (doubt.serious && !doubt.accepted) std::printf("doubt:  %s\n", doubt.what.c_str());
  return exit_code_of(*result);
}

}  // namespace

void add_payload(CLI::App& app, Command& run) {
  CLI::App* command =
      app.add_subcommand("payload", "mass, centre of mass and tensor of what a force-torque sensor holds");
  auto flags = std::make_shared<PayloadFlags>();
  command
      ->add_option("--log", flags->logs,
                   "log of the sensor (CSV, NPY or HDF5), in its frame: "
                   "t,wx..wz,alx..alz,ax..az,gx..gz,fx..fz,nx..nz in SI "
                   "units (gravity, or an orientation r11..r33); or poses at rest: r11..r33 or gx..gz, "
                   "fx..fz,nx..nz. Several "
                   "logs of one payload have a bias each")
      ->required();
  command->add_option("--shape", flags->shape,
                      "mesh of the payload in metres (STL, OBJ, DAE): the prior of its tensor");
  command->add_option("--pose", flags->pose, "x,y,z,r,p,y [m, rad] of the shape in the sensor's frame")
      ->delimiter(',');
  command
      ->add_option(
          "--method", flags->methods,
          "by which the payload is weighed; of several the first is the answer, the others stand beside it")
      ->check(CLI::IsMember(method_names()))
      ->capture_default_str();
  command->add_option("--config", flags->config,
                      "YAML with a section payload: sign, wrench_frame, gravity, mounting, bias, lowpass_hz, "
                      "prior, prior_weight, "
                      "gamma, known_mass");
  command
      ->add_option("--out", flags->out,
                   "directory for result.json, report.html, payload.urdf, points.csv and files for Franka, "
                   "UR and ROS 2")
      ->required();
  command->add_option("--accept", flags->accepted, "id of a doubt that was looked at and is as it should be");
  command->footer(
      "Exit codes: 0 done; 1 bad input; 3 not certified; 4 done, but a serious doubt about the log is open "
      "(its line "
      "begins with \"doubt:\").\n"
      "Sign: the wrench is what the sensor exerts on the payload; payload.sign: -1 for one that reports the "
      "opposite.\n"
      "Example:\n  heft payload --log shaken.csv --shape drill.stl --pose 0,0,0.02,0,0,0 --method all --out "
      "drill");
  command->callback([flags, &run] { run = [flags] { return run_payload(*flags); }; });
}

}  // namespace heft::tools
