// Reads the section `payload` of a YAML file. Threads: stateless; safe to call from several
// threads.
#pragma once

#include <string>

#include "heft/base/result.hpp"
#include "heft/config/configuration.hpp"
#include "heft/payload/options.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// Reads the section `payload` of a YAML file on top of the defaults. Errors name file, line and
/// the available names.
Result<PayloadOptions> read_payload_options(const std::string& path);

/// Does the same for a file that may also have sections of a robot's configuration (robot, log,
/// conditioning, joints), which are read into `configuration`. Further errors: those of
/// read_configuration.
Result<PayloadOptions> read_payload_options(const std::string& path, Configuration& configuration);

/// Does the same for a text; `where` names it in errors, and relative paths are resolved next to
/// it.
Result<PayloadOptions> payload_options_from_yaml(const std::string& text, const std::string& where);
Result<PayloadOptions> payload_options_from_yaml(const std::string& text, const std::string& where,
                                                 Configuration& configuration);

}  // namespace heft
#pragma GCC visibility pop
