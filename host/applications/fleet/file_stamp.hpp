// File metadata by which changes are detected without reading the file.
#pragma once

#include <fmt/format.h>
#include <sys/stat.h>

#include <string>

#include "fleet/plan.hpp"

namespace heft {

inline FileStamp stamp_by(const struct stat& facts) {
  return {facts.st_size, facts.st_ino, facts.st_mtim.tv_sec, facts.st_mtim.tv_nsec};
}

/// Time of the last change, since 1970.
inline double seconds_of(const FileStamp& stamp) {
  return static_cast<double>(stamp.modified_s) + 1e-9 * static_cast<double>(stamp.modified_ns);
}

/// Returns one line: "SIZE INODE SECONDS.NANOSECONDS".
inline std::string text_of(const FileStamp& stamp) {
  return fmt::format("{} {} {}.{:09}\n", stamp.size, stamp.inode, stamp.modified_s,
                     stamp.modified_ns);
}

}  // namespace heft
