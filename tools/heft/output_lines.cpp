#include "tools/heft/output_lines.hpp"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>

namespace heft::tools {

namespace {

constexpr std::size_t kMostWaiting = 1000;  // lines that a reader has not taken
constexpr int kPatience = 1000;             // ms that one line waits before others are dropped

}  // namespace

void OutputLines::put(const std::string& line, bool may_be_dropped) {
  send_waiting(is_slow_ ? 0 : kPatience);
  if (!waiting_.empty() && (may_be_dropped || waiting_.size() >= kMostWaiting)) {
    ++num_dropped_;
    return;
  }
  const bool is_first = waiting_.empty();
  waiting_.push_back(line + "\n");
  if (is_first) send_waiting(is_slow_ ? 0 : kPatience);
}

void OutputLines::finish() {
  is_slow_ = false;
  send_waiting(kPatience);
}

void OutputLines::send_waiting(int patience_ms) {
  while (!waiting_.empty() && !is_closed_) {
    pollfd out{STDOUT_FILENO, POLLOUT, 0};
    const int ready = ::poll(&out, 1, patience_ms);
    if (ready < 0 && errno == EINTR) continue;
    is_slow_ = ready <= 0;
    if (is_slow_) return;
    const std::string& line = waiting_.front();
    // a pipe that is ready has room for this many bytes, more could block
    const std::size_t size = std::min<std::size_t>(line.size() - sent_, PIPE_BUF);
    const ssize_t count = ::write(STDOUT_FILENO, line.data() + sent_, size);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) {
      is_closed_ = true;
      has_failed_ = errno != EPIPE;
      return;
    }
    sent_ += static_cast<std::size_t>(count);
    if (sent_ < line.size()) continue;
    waiting_.pop_front();
    sent_ = 0;
  }
}

}  // namespace heft::tools
