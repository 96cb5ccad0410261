// Digests of logs. Each file is read once; the store remembers its digest by path, size, inode and
// time stamp.
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

  /// Returns the SHA-256 of the file. If `reads` is false, returns only a known digest; empty if
  /// unknown. Errors: the file cannot be read; stopped(). Threads: safe to call from several
  /// threads.
  Result<std::string> of(const std::string& path, bool reads, const Progress& progress = {});

  /// Returns the key of the piece that stores the digest; empty if the file does not exist. Waits
  /// if the file was written just now.
  static std::string name_of(const std::string& path);

  /// State of a log file when its digest was computed.
  struct KnownLog {
    std::string digest;
    std::string stamp;  ///< text_of()
    std::string note;   ///< key of the piece that stores the digest
  };
  /// Returns the log if this run requested its digest, otherwise null.
  std::optional<KnownLog> known(const std::string& path) const;

  /// From now on, rereads logs whose path is known with a different stamp, even where nothing else
  /// is read, without writing to the store.
  void look_at_touched();

 private:
  const FleetStore& store_;
  std::unordered_set<std::string> paths_;  // of logs known to the store, by name, for
                                           // look_at_touched()
  mutable std::mutex mutex_;
  std::map<std::string, KnownLog> known_;  // by path, for this run
};

}  // namespace heft
