// The flag --joints.locked for commands that read no configuration.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "heft/config/configuration.hpp"

namespace heft::tools {

inline void add_locked_flag(CLI::App& command, RobotOptions& options) {
  command.add_option_function<std::string>(
      "--joints.locked",
      [&options](const std::string& value) {
        Configuration configuration;
        const auto set = set_field(configuration, "joints.locked", value);
        if (!set)
          throw CLI::ValidationError(set.error().where + ": " + set.error().what + "; " +
                                     set.error().remedy);
        options.locked_joints = configuration.robot.locked_joints;
      },
      "joints that stand still: '{finger: 0.02}' [rad, m], or names of joints that stand at 0; joints that "
      "mimic them stand still too");
}

}  // namespace heft::tools
