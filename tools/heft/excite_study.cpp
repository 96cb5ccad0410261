#include "tools/heft/excite_study.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <iterator>

#include "base/parallel_for.hpp"
#include "excite/study.hpp"
#include "excite_config/study_file.hpp"
#include "tools/heft/command.hpp"
#include "tools/heft/excite.hpp"
#include "tools/heft/print.hpp"
#include "tools/heft/progress.hpp"
#include "tools/heft/refuse_overwriting_inputs.hpp"

namespace heft::tools {

namespace {

namespace fs = std::filesystem;

/// All files that the run may replace.
std::vector<std::string> outputs_of(const Study& study, const fs::path& out) {
  std::vector<std::string> files = {(out / "study.json").string(), (out / "study.html").string()};
  for (const StudyRobot& robot : study.robots)
    for (const StudyDesign& design : robot.designs)
      for (std::string& file : design_files((out / design.folder).string()))
        files.push_back(std::move(file));
  return files;
}

int exit_code_of(const StudyResult& result) {
  if (result.is_stopped) return kStopped;
  if (result.count(StudyState::infeasible) + result.count(StudyState::failed) > 0) return kBadInput;
  return result.count(StudyState::budget) > 0 ? kStopped : kSuccess;
}

}  // namespace

void refuse_beside_study(const CLI::App& command) {
  constexpr const char* kAllowed[] = {"--study",   "--out",   "--threads",
                                      "--backend", "--quiet", "--help"};
  for (const CLI::Option* const option : command.get_options()) {
    const std::string name = option->get_name();
    if (option->count() == 0 ||
        std::find(std::begin(kAllowed), std::end(kAllowed), name) != std::end(kAllowed))
      continue;
    throw CLI::ValidationError(name +
                               " cannot be combined with --study; write it in the study's file");
  }
}

int run_study_file(const StudyFlags& flags) {
  if (flags.threads < 0) return fail({"--threads", "is negative", "0 uses all hardware threads"});
  const auto study = read_study(flags.file);
  if (!study) return fail(study.error());
  if (auto spared = refuse_overwriting_inputs(outputs_of(*study, flags.out), study->files); !spared)
    return fail(spared.error());
  const auto result = [&] {
    TerminalProgress progress(flags.is_quiet);
    return run_study(*study, flags.out, threads_of_command(flags.threads), std::ref(progress),
                     flags.backend);
  }();
  if (!result) return fail(result.error());
  print(study_summary(*study, *result));
  if (result->is_stopped) std::printf("stopped: run the same command again to continue\n");
  for (const char* name : {"study.json", "study.html"})
    std::printf("%s\n", (fs::path(flags.out) / name).c_str());
  return exit_code_of(*result);
}

}  // namespace heft::tools
