// Which bytes a log has. Every file is read for that once; the store remembers it by the file's path, size, inode and time stamp.
#pragma once

#include <map>
#include <mutex>
#include <string>

#include "heft/base/progress.hpp"
#include "heft/base/result.hpp"
#include "store.hpp"

namespace heft {

class LogDigests {
 public:
  explicit LogDigests(const FleetStore& store) : store_(store) {}

  /// SHA-256 of the file's bytes. If `reads` is false only what is known already: empty if it is not. Errors: the file cannot be read;
  /// stopped(). Threads: any.
  Result<std::string> of(const std::string& path, bool reads, const Progress& progress = {});

 private:
  const FleetStore& store_;
  std::mutex mutex_;
  std::map<std::string, std::string> known_;  // in this run, by path
};

}  // namespace heft
