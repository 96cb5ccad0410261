// heft info: version and backends of this program; the contents of a log or a moments file.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/counted.hpp"
#include "commit.hpp"
#include "files/whole_file.hpp"
#include "heft/executor/executor.hpp"
#include "heft/training/training_data.hpp"
#include "heft/version.hpp"
#include "kernels/backend_cuda.hpp"
#include "library_versions.hpp"
#include "readers/devices.hpp"
#include "readers/log_info.hpp"
#include "tools/heft/command.hpp"
#include "tools/heft/describe_moments.hpp"
#include "tools/heft/print.hpp"

namespace heft::tools {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kMomentsBegin = "heft-moments-";

/// The device, or the reason why there is none.
Json cuda_json() {
  const auto backend = make_cuda_backend();
  return {{"compiled", cuda_is_compiled()},
          {"device", backend ? Json((*backend)->description()) : Json()},
          {"why_not", backend ? Json() : Json(backend.error().what)}};
}

Json info_json() {
  Json sets = Json::array(), libraries = Json::object();
  for (const InstructionSet set : available_instruction_sets()) sets.push_back(name(set));
  for (const auto& [library, version] : kLibraryVersions) libraries[library] = version;
  const std::string commit = HEFT_COMMIT;
  return {{"schema", "heft-info-1"},
          {"version", kVersion},
          {"commit", commit.empty() ? Json() : Json(commit)},
          {"instruction_sets", sets},
          {"cuda", cuda_json()},
          {"libraries", libraries}};
}

/// Prints the facts about the program.
int print_program(const std::string& json_path) {
  std::printf("heft %s\n", kVersion);
  for (const std::string& line : backend_inventory()) std::printf("backend %s\n", line.c_str());
  if (json_path.empty()) return kSuccess;
  auto written = write_file_whole(json_path, info_json().dump(2) + "\n");
  return written ? kSuccess : fail(written.error());
}

Result<Done> print_moments(const std::string& path) {
  HEFT_TRY(data, read_moments_file(path));
  print(describe(data, path));
  return Done{};
}

bool is_moments_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string begin(kMomentsBegin.size(), '\0');
  file.read(begin.data(), static_cast<std::streamsize>(begin.size()));
  return path.ends_with(".heft") || begin == kMomentsBegin;
}

Json number_or_null(double value) {
  return value > 0 ? Json(value) : Json();
}

Json text_or_null(const std::string& text) {
  return text.empty() ? Json() : Json(text);
}

Json log_json(const LogInfo& info) {
  Json topics = Json::array();
  for (const TopicInfo& topic : info.topics)
    topics.push_back({{"name", topic.name},
                      {"type", topic.type},
                      {"messages", topic.messages},
                      {"rate_hz", number_or_null(topic.rate_hz)},
                      {"gaps", topic.gaps},
                      {"steps_back", topic.steps_back},
                      {"resolution_s", number_or_null(topic.resolution_s)},
                      {"fields", topic.fields},
                      {"role", text_or_null(topic.role)},
                      {"unreadable", text_or_null(topic.unreadable)}});
  // null: no device is recognized
  return {{"schema", "heft-log-info-1"},
          {"topics", topics},
          {"stamp", text_or_null(info.stamp)},
          {"losses", info.losses},
          {"device", text_or_null(info.device)},
          {"device_confidence", number_or_null(info.device_confidence)},
          {"torque_is", text_or_null(info.torque_is)},
          {"yaml", text_or_null(info.yaml)}};
}

void print_log(const LogInfo& info, const std::string& path) {
  constexpr std::size_t kShownFields = 12;
  std::string text = fmt::format("{}: {}\n", path, counted(info.topics.size(), "topic"));
  for (const std::string& loss : info.losses) text += "  " + loss + "\n";
  for (const TopicInfo& topic : info.topics) {
    text += fmt::format("{}  {}  {}", topic.name, topic.type, counted(topic.messages, "message"));
    if (topic.rate_hz > 0) text += fmt::format(", {:.4g} Hz", topic.rate_hz);
    if (topic.gaps > 0) text += ", " + counted(topic.gaps, "gap");
    if (topic.steps_back > 0) text += ", stamps go back " + counted(topic.steps_back, "time");
    if (topic.resolution_s > 1e-9)
      text += fmt::format(", stamps in steps of {:.3g} s", topic.resolution_s);
    if (!topic.role.empty()) text += ", " + topic.role;
    text += "\n";
    if (!topic.unreadable.empty()) text += "    not read: " + topic.unreadable + "\n";
    if (topic.fields.empty()) continue;
    const std::size_t shown = std::min(topic.fields.size(), kShownFields);
    text += fmt::format(
        "    {}{}\n",
        fmt::join(topic.fields.begin(), topic.fields.begin() + static_cast<std::ptrdiff_t>(shown),
                  ", "),
        shown < topic.fields.size() ? fmt::format(", .. ({} fields)", topic.fields.size()) : "");
  }
  if (!info.device.empty())
    text += fmt::format("device: {} (confidence {:.2g}), torque_is: {}\n", info.device,
                        info.device_confidence, info.torque_is);
  if (!info.yaml.empty()) text += "configuration to start from:\n" + info.yaml;
  print(text);
}

Result<Done> describe_log(const std::string& path, const std::string& json_path) {
  HEFT_TRY(info, log_info(path, {}));
  if (info.topics.size() == 1 && info.topics.front().type == "table" &&
      info.topics.front().messages == 0)
    return Error{path, "is neither a moments file nor a log with rows",
                 "record the log again, or name another file"};
  print_log(info, path);
  if (json_path.empty()) return Done{};
  return write_file_whole(
      json_path, log_json(info).dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
}

int print_files(const std::vector<std::string>& files, const std::string& json_path) {
  if (!json_path.empty() && std::any_of(files.begin(), files.end(), is_moments_file))
    return fail(Error{"--json", "describes the program or a log, not moments files", "omit it"});
  if (files.size() > 1 && !json_path.empty())
    return fail(
        Error{"--json", "describes one log", "name one log, or several of one recording as A+B"});
  for (const std::string& path : files)
    if (const auto shown =
            is_moments_file(path) ? print_moments(path) : describe_log(path, json_path);
        !shown)
      return fail(shown.error());
  return kSuccess;
}

int print_devices() {
  std::string text;
  for (const Device& device : devices()) {
    text += fmt::format("{}\n    {}\n    units: {}; torque_is: {}\n    source: {}\n", device.name,
                        device.title, device.units, device.torque_is, device.source);
    if (!device.note.empty()) text += "    note: " + device.note + "\n";
  }
  print(text);
  return kSuccess;
}

struct InfoFlags {
  std::vector<std::string> files;
  std::string json_path;
  bool lists_devices = false;
};

}  // namespace

void add_info(CLI::App& app, Command& run) {
  CLI::App* command = app.add_subcommand(
      "info", "show version and backends, or the contents of logs or moments files");
  auto flags = std::make_shared<InfoFlags>();
  CLI::Option* files = command->add_option(
      "files", flags->files,
      "logs or moments files (*.heft); without files, describes the program itself");
  CLI::Option* json = command->add_option(
      "--json", flags->json_path,
      "also write to this file: version, commit, instruction sets, CUDA and libraries of the program; or "
      "topics, rates, gaps, fields and a starting configuration of a log");
  command
      ->add_flag(
          "--devices", flags->lists_devices,
          "list the devices of log.device with their units, the meaning of their torque and their sources")
      ->excludes(files)
      ->excludes(json);
  command->footer(
      "Examples:\n"
      "  heft info --json heft.json    the facts to attach to a bug report\n"
      "  heft info monday.heft\n"
      "  heft info recording.mcap      topics, rates, gaps, fields and a starting configuration\n"
      "  heft info --devices           conventions of devices for log: {device: NAME}");
  command->callback([flags, &run] {
    run = [flags] {
      if (flags->lists_devices) return print_devices();
      return flags->files.empty() ? print_program(flags->json_path)
                                  : print_files(flags->files, flags->json_path);
    };
  });
}

}  // namespace heft::tools
