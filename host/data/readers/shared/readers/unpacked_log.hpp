// A log unpacked from a file of another format: rows of the unpacked file, name and digest of the
// original.
#pragma once

#include <memory>
#include <string>

#include "heft/log/source.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// Returns the log in the file `path`, called `name` in errors and results; `sha256` is the digest
/// of the original. `kept` lives as long as the log.
Log unpacked_log(const std::string& path, const std::string& name, const std::string& sha256,
                 std::shared_ptr<const void> kept = nullptr);

}  // namespace heft
#pragma GCC visibility pop
