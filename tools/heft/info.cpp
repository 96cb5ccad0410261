// heft info: what this program is and what it can compute with.
#include <nlohmann/json.hpp>

#include "commit.hpp"
#include "heft/backend.hpp"
#include "host/files/whole_file.hpp"
#include "kernels/moments/backend_cuda.hpp"
#include "library_versions.hpp"
#include "tools/heft/command.hpp"

namespace heft::tools {

namespace {

using Json = nlohmann::ordered_json;

/// The device, or why there is none.
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
          {"version", HEFT_VERSION},
          {"commit", commit.empty() ? Json() : Json(commit)},
          {"instruction_sets", sets},
          {"cuda", cuda_json()},
          {"libraries", libraries}};
}

int print_info(const std::string& json_path) {
  std::printf("heft %s\n", HEFT_VERSION);
  for (const std::string& line : backend_inventory()) std::printf("backend %s\n", line.c_str());
  if (json_path.empty()) return kSuccess;
  auto written = write_file_whole(json_path, info_json().dump(2) + "\n");
  return written ? kSuccess : fail(written.error());
}

}  // namespace

void add_info(CLI::App& app, Command& run) {
  CLI::App* command = app.add_subcommand("info", "version, backends, and why one is missing");
  auto json_path = std::make_shared<std::string>();
  command->add_option("--json", *json_path,
                      "also write version, commit, instruction sets, CUDA and libraries to this file");
  command->footer("Example:\n  heft info --json heft.json    what a report of a fault should have beside it");
  command->callback([json_path, &run] { run = [json_path] { return print_info(*json_path); }; });
}

}  // namespace heft::tools
