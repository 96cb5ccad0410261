// A progress line on standard error for work that takes longer than a second; silent when nobody watches.
#pragma once

#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <string>

namespace heft::tools {

class Progress {
 public:
  void operator()(const std::string& stage, double fraction) {
    if (!isatty(STDERR_FILENO)) return;
    const auto now = Clock::now();
    if (now - start_ < std::chrono::seconds(1) || now - last_ < std::chrono::milliseconds(100)) return;
    last_ = now;
    constexpr int kWidth = 32;
    const int filled = static_cast<int>(fraction * kWidth);
    std::fprintf(stderr, "\r%s [%s%s] %3.0f %%", stage.c_str(), std::string(filled, '#').c_str(),
                 std::string(kWidth - filled, '.').c_str(), 100 * fraction);
    shown_ = true;
  }

  /// Wipes the line, so that results stand alone.
  ~Progress() {
    if (shown_) std::fprintf(stderr, "\r\033[K");
  }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_ = Clock::now(), last_ = start_;
  bool shown_ = false;
};

}  // namespace heft::tools
