// heft info: what this program is and what it can compute with; what is in a moments file.
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "commit.hpp"
#include "files/whole_file.hpp"
#include "heft/executor/executor.hpp"
#include "heft/training/training_data.hpp"
#include "heft/version.hpp"
#include "kernels/backend_cuda.hpp"
#include "library_versions.hpp"
#include "tools/heft/command.hpp"
#include "tools/heft/describe_moments.hpp"
#include "tools/heft/print.hpp"

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
  return {
      {"schema", "heft-info-1"},  {"version", kVersion}, {"commit", commit.empty() ? Json() : Json(commit)},
      {"instruction_sets", sets}, {"cuda", cuda_json()}, {"libraries", libraries}};
}

/// About the program.
int print_program(const std::string& json_path) {
  std::printf("heft %s\n", kVersion);
  for (const std::string& line : backend_inventory()) std::printf("backend %s\n", line.c_str());
  if (json_path.empty()) return kSuccess;
  auto written = write_file_whole(json_path, info_json().dump(2) + "\n");
  return written ? kSuccess : fail(written.error());
}

int print_moments(const std::vector<std::string>& files) {
  for (const std::string& path : files) {
    const auto data = read_moments_file(path);
    if (!data) return fail(data.error());
    print(describe(*data, path));
  }
  return kSuccess;
}

struct InfoFlags {
  std::vector<std::string> files;
  std::string json_path;
};

}  // namespace

void add_info(CLI::App& app, Command& run) {
  CLI::App* command =
      app.add_subcommand("info", "show version and backends, or the contents of moments files");
  auto flags = std::make_shared<InfoFlags>();
  auto* files =
      command->add_option("files", flags->files, "moments files (*.heft); none: the program itself");
  command
      ->add_option(
          "--json", flags->json_path,
          "also write version, commit, instruction sets, CUDA and libraries of the program to this file")
      ->excludes(files);
  command->footer(
      "Examples:\n"
      "  heft info --json heft.json    what a report of a fault should have beside it\n"
      "  heft info monday.heft");
  command->callback([flags, &run] {
    run = [flags] {
      return flags->files.empty() ? print_program(flags->json_path) : print_moments(flags->files);
    };
  });
}

}  // namespace heft::tools
