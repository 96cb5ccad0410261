// The command excite.
#pragma once

#include "tools/heft/command.hpp"

namespace heft::tools {

/// Adds the subcommand to `app`, and sets `run` if it is requested.
void add_excite(CLI::App& app, Command& run);

}  // namespace heft::tools
