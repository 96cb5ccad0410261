// The section `payload` of a YAML file, in the terms of the payload's room.
// Threads: any number of threads may call.
#pragma once

#include <string>

#include "heft/base/result.hpp"
#include "heft/config/configuration.hpp"
#include "heft/payload/options.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// The section `payload` of a YAML file, over the defaults. Errors name file, line and what there
/// is instead.
Result<PayloadOptions> read_payload_options(const std::string& path);

/// The same of a file that may have sections of a robot's configuration, too (robot, log,
/// conditioning, joints): what there is of them goes into `configuration`. Errors besides: those of
/// read_configuration.
Result<PayloadOptions> read_payload_options(const std::string& path, Configuration& configuration);

/// The same of a text; `where`: what errors call it, beside which files of relative paths lie.
Result<PayloadOptions> payload_options_from_yaml(const std::string& text, const std::string& where);
Result<PayloadOptions> payload_options_from_yaml(const std::string& text, const std::string& where,
                                                 Configuration& configuration);

}  // namespace heft
#pragma GCC visibility pop
