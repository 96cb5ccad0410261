// A log that was unpacked from a file of another format: rows of the one, name and digest of the
// other.
#pragma once

#include <memory>
#include <string>

#include "heft/log/source.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// The log in the file `path`, which errors and results call `name`; `sha256`: of what it was
/// unpacked from. `kept` lives as long as the log.
Log unpacked_log(const std::string& path, const std::string& name, const std::string& sha256,
                 std::shared_ptr<const void> kept = nullptr);

}  // namespace heft
#pragma GCC visibility pop
