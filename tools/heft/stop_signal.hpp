// SIGTERM and SIGINT for commands that wait for input: waiting ends, also if the signal comes just
// before it begins.
#pragma once

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

namespace heft::tools {

class StopSignal {
 public:
  /// Handles the signals until the program ends. One per program.
  StopSignal() {
    if (::pipe2(pipe_, O_CLOEXEC | O_NONBLOCK) != 0) pipe_[0] = pipe_[1] = -1;
    struct sigaction action {};
    action.sa_handler = note;
    for (const int signal : {SIGTERM, SIGINT}) sigaction(signal, &action, nullptr);
  }
  StopSignal(const StopSignal&) = delete;
  StopSignal& operator=(const StopSignal&) = delete;

  bool has_come() const { return has_come_ != 0; }

  /// Waits until `file` can be read or has ended. Returns false after a signal, or after
  /// `patience_ms` (negative: none). A negative `file` waits for a signal alone.
  bool wait_for(int file, int patience_ms = -1) const {
    pollfd files[] = {{pipe_[0], POLLIN, 0}, {file, POLLIN, 0}};
    while (!has_come_) {
      const int ready = ::poll(files, 2, patience_ms);
      if (ready < 0 && errno == EINTR) continue;
      return !has_come_ && ready > 0 && files[1].revents != 0;
    }
    return false;
  }

 private:
  static void note(int) {
    has_come_ = 1;
    const int error = errno;
    if (::write(pipe_[1], "", 1) < 0) errno = error;  // full: it was noted before
  }

  static inline volatile std::sig_atomic_t has_come_ = 0;
  static inline int pipe_[2] = {-1, -1};
};

}  // namespace heft::tools
