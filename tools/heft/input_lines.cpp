#include "tools/heft/input_lines.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <string_view>
#include <utility>

namespace heft::tools {

namespace {

constexpr int kLookAgainMs = 20;  // between looks at a file that does not grow

}  // namespace

InputLines::InputLines(InputLines&& other) noexcept
    : stop_(other.stop_),
      name_(std::move(other.name_)),
      file_(std::exchange(other.file_, STDIN_FILENO)),
      follows_(std::exchange(other.follows_, false)),
      idle_s_(other.idle_s_),
      num_read_(other.num_read_),
      buffer_(std::move(other.buffer_)),
      skips_(other.skips_),
      at_(other.at_),
      size_(other.size_) {}

InputLines::~InputLines() {
  if (follows_) ::close(file_);
}

Result<InputLines> InputLines::follow(const std::string& path, double idle_s,
                                      const StopSignal& stop) {
  InputLines lines(&stop);
  lines.name_ = path;
  lines.idle_s_ = idle_s;
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0)
    return Error{path, std::string("cannot be opened: ") + std::strerror(errno),
                 "check the path; the file must exist before heft starts"};
  lines.file_ = file;
  lines.follows_ = true;
  struct stat facts {};
  if (::fstat(file, &facts) != 0 || !S_ISREG(facts.st_mode))
    return Error{path, "is not a file of lines",
                 "name a CSV file, or send lines to standard input; recordings of messages cannot "
                 "be followed"};
  char first[512];
  const ssize_t count = ::pread(file, first, sizeof first, 0);
  const std::string_view begin(first, static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
  if (begin.find('\0') != std::string_view::npos || begin.starts_with("\x89MCAP"))
    return Error{path, "is not text; recordings of messages and binary tables cannot be followed",
                 "for MCAP: python3 -m heft_robot follow-log FILE | heft watch ..; otherwise send lines "
                 "of CSV, or use examples/ros2_watch.py on the robot"};
  return lines;
}

Result<InputLines::Found> InputLines::next(std::string& line) {
  line.clear();
  for (;;) {
    while (at_ < size_) {
      const char c = buffer_[at_++];
      if (c == '\n') {
        if (!std::exchange(skips_, false)) return Found::line;
        continue;
      }
      if (c == '\r' || skips_) continue;
      skips_ = line.size() >= kLongestLine;
      if (skips_) return Found::too_long;
      line.push_back(c);
    }
    HEFT_TRY(has_more, refill());
    if (!has_more) return line.empty() ? Found::end : Found::unfinished;
  }
}

/// Returns false at the end.
Result<bool> InputLines::refill() {
  at_ = size_ = 0;
  if (follows_) {
    HEFT_TRY(has_more, has_grown());
    if (!has_more) return false;
  }
  for (;;) {
    if (!follows_ && stop_ != nullptr && !stop_->wait_for(file_)) return false;
    const ssize_t count = ::read(file_, buffer_.get(), kBufferSize);
    if (count < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (count < 0)
      return Error{name_, std::string("cannot be read: ") + std::strerror(errno),
                   "check the disk or the program that writes it"};
    size_ = static_cast<std::size_t>(count);
    num_read_ += count;
    return count > 0;
  }
}

/// Waits until there is more than was read; returns false after a signal or without growth.
Result<bool> InputLines::has_grown() {
  const auto begin = std::chrono::steady_clock::now();
  for (;;) {
    struct stat facts {};
    if (::fstat(file_, &facts) == 0 && facts.st_size > num_read_) return !stop_->has_come();
    struct stat named {};
    const bool is_another = ::stat(name_.c_str(), &named) == 0 &&
                            (named.st_ino != facts.st_ino || named.st_dev != facts.st_dev);
    if (is_another || facts.st_size < num_read_)
      return Error{name_, "was replaced or became shorter while it was read",
                   "start again with the new file; a logger must append"};
    const std::chrono::duration<double> waited = std::chrono::steady_clock::now() - begin;
    if (idle_s_ > 0 && waited.count() >= idle_s_) return false;
    stop_->wait_for(-1, kLookAgainMs);
    if (stop_->has_come()) return false;
  }
}

}  // namespace heft::tools
