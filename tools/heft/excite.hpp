// The command excite.
#pragma once

#include "tools/heft/command.hpp"

namespace heft::tools {

/// Adds the subcommand to `app` and sets `run` when it is the one asked for.
void add_excite(CLI::App& app, Command& run);

}  // namespace heft::tools
