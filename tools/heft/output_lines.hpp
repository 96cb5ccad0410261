// Lines on standard output that never hold up the samples: while the reader does not take them,
// states are dropped and the rest waits, up to a bound.
#pragma once

#include <deque>
#include <string>

#include "heft/base/result.hpp"

namespace heft::tools {

/// The error of a full disk behind a pipe or a redirection.
inline Error unwritten_output() {
  return {"standard output", "cannot be written",
          "free disk space, or redirect the output elsewhere"};
}

class OutputLines {
 public:
  void put(const std::string& line, bool may_be_dropped);

  /// Waits a second for a reader to take the rest.
  void finish();

  long long num_dropped() const { return num_dropped_; }
  bool is_closed() const { return is_closed_; }    ///< the reader has ended, or has_failed()
  bool has_failed() const { return has_failed_; }  ///< a line could not be written

 private:
  void send_waiting(int patience_ms);

  std::deque<std::string> waiting_;
  std::size_t sent_ = 0;  ///< bytes of the first
  long long num_dropped_ = 0;
  bool is_slow_ = false, is_closed_ = false, has_failed_ = false;
};

}  // namespace heft::tools
