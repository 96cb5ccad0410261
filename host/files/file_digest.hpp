// SHA-256 of a whole small file, for provenance.
#pragma once

#include <string>

#include "heft/result.hpp"

namespace heft {

/// 64 lower-case hexadecimal digits. Errors: missing or unreadable file, folder.
Result<std::string> file_digest(const std::string& path);

}  // namespace heft
