// The command excite.
#pragma once

#include <string>
#include <vector>

#include "tools/heft/command.hpp"

namespace heft::tools {

/// Adds the subcommand to `app`, and sets `run` if it is requested.
void add_excite(CLI::App& app, Command& run);

/// All files that the command may write to a folder for one design.
std::vector<std::string> design_files(const std::string& folder);

}  // namespace heft::tools
