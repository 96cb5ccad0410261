// Rows of logs that stay in memory, so that further passes do not read and parse the files again.
#pragma once

#include <atomic>
#include <limits>
#include <memory>

#include "heft/log/source.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// Memory for rows of several logs. Threads: safe to share.
class RowMemory {
 public:
  /// For all logs together, and for each of them.
  explicit RowMemory(double bytes, double bytes_of_log = std::numeric_limits<double>::infinity())
      : left_(bytes), of_log_(bytes_of_log) {}

  /// Returns whether there was room for so many bytes, which are then taken.
  bool take(double bytes);
  double bytes_of_log() const { return of_log_; }

 private:
  std::atomic<double> left_;
  double of_log_;
};

/// Returns the log whose first complete or stopped pass keeps its rows in `memory`, from the first
/// row on until there is no room. Later passes with the same format and columns get these rows
/// without the file, and read on after them. A file that changes between passes keeps its first
/// rows. Errors: those of the log.
Log with_kept_rows(const Log& log, std::shared_ptr<RowMemory> memory);

}  // namespace heft
#pragma GCC visibility pop
