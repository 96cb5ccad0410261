// Which bytes a log has. Every file is read for that once; the store remembers it by the file's
// path and by its size, inode and time stamp.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_set>

#include "heft/base/result.hpp"
#include "store.hpp"

namespace heft {

class LogDigests {
 public:
  explicit LogDigests(const FleetStore& store) : store_(store) {}

  /// SHA-256 of the file's bytes. If `reads` is false only what is known already: empty if it is
  /// not. Errors: the file cannot be read; stopped(). Threads: safe to call from several
  /// threads.
  Result<std::string> of(const std::string& path, bool reads, const Progress& progress = {});

  /// Key of the piece that remembers it; empty if there is no such file. A file that was written
  /// just now is waited for.
  static std::string name_of(const std::string& path);

  /// A log by what it was when its bytes became known.
  struct KnownLog {
    std::string digest;
    std::string stamp;  ///< text_of()
    std::string note;   ///< key of the piece that remembers it
  };
  /// Of this run; none of a log whose bytes were not requested.
  std::optional<KnownLog> known(const std::string& path) const;

  /// From now on, a log that the store knows by its path but under another stamp is read again
  /// where nothing else is, and nothing is written of it.
  void look_at_touched();

 private:
  const FleetStore& store_;
  std::unordered_set<std::string> paths_;  // that the store knows, by name, for look_at_touched()
  mutable std::mutex mutex_;
  std::map<std::string, KnownLog> known_;  // in this run, by path
};

}  // namespace heft
