// heft excite --study: designs for many robots and options in one run.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "heft/executor/executor.hpp"

namespace heft::tools {

struct StudyFlags {
  std::string file, out;
  int threads = 0;
  BackendKind backend = BackendKind::cpu;
  bool is_quiet = false;
};

/// Throws an error of the command line if flags of a single design are given beside --study.
void refuse_beside_study(const CLI::App& command);

/// Runs the study; returns the exit code.
int run_study_file(const StudyFlags& flags);

}  // namespace heft::tools
