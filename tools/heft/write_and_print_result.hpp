// Writes the files of an identification, prints its summary and returns the exit code.
#pragma once

#include <string>
#include <vector>

#include "heft/identify/estimate.hpp"

namespace heft::tools {

/// Writes the result into `directory`, prints the summary unless `quiet`, and where the files are.
/// Returns the exit code. `package_folders`: where the robot's meshes may be, for the page.
int write_and_print_result(const Identification& identification, const std::string& directory,
                           bool quiet, const std::vector<std::string>& package_folders);

}  // namespace heft::tools
