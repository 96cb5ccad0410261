#include "heft/observe/observe.hpp"

#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "files/whole_file.hpp"
#include "heft/config/module_options.hpp"
#include "heft/robot/robot_document.hpp"
#include "identify/observe_contacts.hpp"
#include "identify/observe_experiments.hpp"
#include "identify/observe_gains.hpp"
#include "observe/json.hpp"
#include "tools/heft/command.hpp"
#include "tools/heft/locked_flag.hpp"
#include "tools/heft/print.hpp"
#include "tools/heft/progress.hpp"
#include "tools/heft/refuse_overwriting_inputs.hpp"

namespace heft::tools {

namespace {

struct ObserveFlags {
  std::string robot, json, contacts;
  RobotOptions urdf;
  ObserveOptions options;
  bool moving_base = false, no_gravity = false, no_channels = false;
  bool gains = false;
};

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text.empty() ? "-" : text;
}

std::string gains_text(const std::vector<ObservableGain>& gains) {
  std::string text = fmt::format("\n{:<24} {:<10} {:<40} {}\n", "gain", "alone",
                                 "with a weighed load on", "ratio without a load to");
  bool is_any_alone = false;
  for (const ObservableGain& gain : gains) {
    is_any_alone = is_any_alone || gain.alone;
    text += fmt::format("{:<24} {:<10} {:<40} {}\n", gain.joint, gain.alone ? "yes" : "no",
                        joined(gain.with_load_on), joined(gain.ratio_to));
  }
  if (!is_any_alone)
    text +=
        "without a known load, torques and masses that are all 1.5 times as large fit as well\n";
  return text;
}

nlohmann::ordered_json gains_json(const std::vector<ObservableGain>& gains) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const ObservableGain& gain : gains)
    list.push_back({{"joint", gain.joint},
                    {"alone", gain.alone},
                    {"with_load_on", gain.with_load_on},
                    {"ratio_to", gain.ratio_to}});
  return list;
}

std::string contacts_text(const ObservableContacts& observed) {
  std::string text = fmt::format(
      "\nwith unknown wrenches at all contacts: {} of {} base parameters\n\n{:<40} {}\n",
      observed.num_base_projected, observed.num_base, "contact",
      "information that a sensor of its wrench would add");
  for (const LostInformation& contact : observed.contacts)
    text += fmt::format("{:<40} {:.0f} %\n", contact.name, 100 * contact.lost);
  text += fmt::format("\n{:<10} {}\n", "lost", "base parameter");
  for (const LostInformation& parameter : observed.parameters)
    text +=
        fmt::format("{:<10} {}\n", fmt::format("{:.0f} %", 100 * parameter.lost), parameter.name);
  return text;
}

nlohmann::ordered_json lost_json(const char* key, const std::vector<LostInformation>& lost) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const LostInformation& one : lost)
    list.push_back({{key, one.name}, {"information_lost", one.lost}});
  return list;
}

nlohmann::ordered_json contacts_json(const ObservableContacts& observed) {
  return {{"num_base", observed.num_base},
          {"num_base_projected", observed.num_base_projected},
          {"contacts", lost_json("frame", observed.contacts)},
          {"parameters", lost_json("parameter", observed.parameters)}};
}

std::string experiments_text(const ObservableExperiments& observed) {
  const auto yes = [](bool is_so) { return is_so ? "yes" : "no"; };
  std::string text = fmt::format("\n{:<10} {:<32} {:>15}  {:<11} {:<15} {:<9} {}\n", "experiment",
                                 "log", "base parameters", "whole mass", "whole center", "friction",
                                 "masses of single links");
  for (const ObservableExperiment& one : observed.experiments)
    text += fmt::format("{:<10} {:<32} {:>15}  {:<11} {:<15} {:<9} {}\n", one.experiment,
                        one.logged, one.num_base, yes(one.whole_mass), yes(one.whole_com),
                        yes(one.friction), joined(one.links));
  if (!observed.is_root_determined)
    text += fmt::format(
        "No experiment determines the mass of {} alone: joint torques do not depend on it, and the "
        "feet measure only the total. Evaluate the mass of the whole robot instead.\n",
        observed.root);
  return text;
}

nlohmann::ordered_json experiments_json(const ObservableExperiments& observed) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const ObservableExperiment& one : observed.experiments)
    list.push_back({{"experiment", one.experiment},
                    {"log", one.logged},
                    {"num_base", one.num_base},
                    {"whole_mass", one.whole_mass},
                    {"whole_com", one.whole_com},
                    {"friction", one.friction},
                    {"link_masses", one.links}});
  return list;
}

/// The robot of a configuration with contacts has a moving base if the configuration says so.
Result<ModelOptions> contact_options(ObserveFlags& flags) {
  HEFT_TRY(configuration, read_configuration(flags.contacts));
  if (flags.moving_base)
    return Error{"--contacts", "needs the inertia of the base",
                 "use --floating instead of --moving-base"};
  flags.urdf.floating_base = flags.urdf.floating_base || configuration.robot.floating_base;
  ModelOptions options = model_options(configuration);
  options.contact_forces = ContactForces::null_space;
  return options;
}

int run_observe(ObserveFlags flags) {
  if (auto spared = refuse_overwriting_inputs(
          {flags.json}, {flags.robot, flags.urdf.rotors_path, flags.contacts});
      !spared)
    return fail(spared.error());
  ModelOptions contacts;
  if (!flags.contacts.empty()) {
    auto options = contact_options(flags);
    if (!options) return fail(options.error());
    contacts = std::move(*options);
  }
  auto robot = read_robot(flags.robot, flags.urdf);
  if (!robot) return fail(robot.error());
  flags.options.gravity = !flags.no_gravity;
  flags.options.channels = !flags.no_channels;
  if (flags.moving_base) flags.options.base = BaseMotion::uncounted;
  const auto observability = [&] {
    TerminalProgress progress;
    return observe(*robot, flags.options, std::ref(progress));
  }();
  if (!observability) return fail(observability.error());
  std::vector<ObservableGain> gains;
  if (flags.gains) {
    auto observed = observe_gains(*robot);
    if (!observed) return fail(observed.error());
    gains = std::move(*observed);
  }
  std::optional<ObservableContacts> costs;
  if (!flags.contacts.empty()) {
    auto observed = observe_contacts(*robot, contacts);
    if (!observed) return fail(observed.error());
    costs = std::move(*observed);
  }
  std::optional<ObservableExperiments> experiments;
  if (robot->floating_base && !flags.options.dimensions_only && !flags.options.static_only) {
    auto observed = observe_experiments(*robot, flags.options.gravity);
    if (!observed) return fail(observed.error());
    experiments = std::move(*observed);
  }
  print(format_observability(*observability));
  if (experiments) print(experiments_text(*experiments));
  if (costs) print(contacts_text(*costs));
  if (flags.gains) print(gains_text(gains));
  if (flags.json.empty()) return kSuccess;
  nlohmann::ordered_json json = observability_json(*observability);
  if (experiments) json["experiments"] = experiments_json(*experiments);
  if (costs) json["contacts"] = contacts_json(*costs);
  if (flags.gains) json["gains"] = gains_json(gains);
  auto written = write_file_whole(flags.json, json.dump(2) + "\n");
  if (!written) return fail(written.error());
  std::printf("json: %s\n", flags.json.c_str());
  return kSuccess;
}

}  // namespace

void add_observe(CLI::App& app, Command& run) {
  CLI::App* command = app.add_subcommand(
      "observe", "find the identifiable parameters of a robot, before recording any data");
  auto flags = std::make_shared<ObserveFlags>();
  command->add_option("robot,--robot", flags->robot, "robot description (URDF)")->required();
  command->add_option("--rotors", flags->urdf.rotors_path, "YAML file with motor rotors as bodies");
  add_locked_flag(*command, flags->urdf);
  auto* floating =
      command->add_flag("--floating", flags->urdf.floating_base,
                        "the root link moves freely and is also identified; also prints what logs "
                        "of a hung, standing or stepping robot determine");
  command
      ->add_flag("--moving-base", flags->moving_base,
                 "the base moves and its wrench is measured, but its inertia is not identified")
      ->excludes(floating);
  command->add_flag("--no-gravity", flags->no_gravity, "without gravity, as in orbit");
  command->add_flag("--static", flags->options.static_only,
                    "the robot is always at rest, in many postures");
  command->add_flag("--no-channels", flags->no_channels,
                    "do not list what each channel alone identifies");
  command->add_flag(
      "--dimensions", flags->options.dimensions_only,
      "print only counts and dimensions, in time proportional to the number of bodies");
  command->add_flag(
      "--gains", flags->gains,
      "which gains of drives (columns: gain) logs determine, and on which links a weighed "
      "payload makes them identifiable");
  command->add_option(
      "--contacts", flags->contacts,
      "YAML file with contacts, as for heft identify: how much information about each "
      "base parameter is lost if their wrenches are not measured");
  command->add_option("--json", flags->json, "also write the result to this file");
  command->footer("Example:\n  heft observe arm.urdf --json observability.json");
  command->callback([flags, &run] { run = [flags] { return run_observe(*flags); }; });
}

}  // namespace heft::tools
