// Draws a progress line on standard error for work that takes longer than a second, if that is a
// terminal, and stops the work at its next step after SIGINT (Ctrl-C), SIGTERM or SIGHUP, with
// nothing half-written. A second signal ends the program at once. Signals that the caller ignores
// (nohup) stay ignored.
#pragma once

#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <string>

namespace heft::tools {

class TerminalProgress {
 public:
  /// `is_quiet`: draws nothing, but still handles signals.
  explicit TerminalProgress(bool is_quiet = false)
      : is_terminal_(!is_quiet && isatty(STDERR_FILENO) != 0) {
    signal_ = 0;
    for (std::size_t i = 0; i < kNumSignals; ++i)
      if ((previous_[i] = std::signal(kSignals[i], note)) == SIG_IGN)
        std::signal(kSignals[i], SIG_IGN);
  }
  TerminalProgress(const TerminalProgress&) = delete;
  TerminalProgress& operator=(const TerminalProgress&) = delete;

  /// Wipes the line, so that results stand alone.
  ~TerminalProgress() {
    for (std::size_t i = 0; i < kNumSignals; ++i) std::signal(kSignals[i], previous_[i]);
    if (shown_) std::fprintf(stderr, "\r\033[K");
  }

  /// False once a signal has come.
  bool operator()(const std::string& stage, double fraction) {
    if (signal_ != 0) return false;
    if (!is_terminal_) return true;
    const auto now = Clock::now();
    if (now - start_ < std::chrono::seconds(1) || now - last_ < std::chrono::milliseconds(100))
      return true;
    last_ = now;
    constexpr int kWidth = 32;
    const int filled = static_cast<int>(fraction * kWidth);
    std::fprintf(stderr, "\r\033[K%s [%s%s] %3.0f %%", stage.c_str(),
                 std::string(filled, '#').c_str(), std::string(kWidth - filled, '.').c_str(),
                 100 * fraction);
    shown_ = true;
    return true;
  }

 private:
  using Clock = std::chrono::steady_clock;

  static void note(int signal) {
    signal_ = signal;
    std::signal(signal, SIG_DFL);
  }

  static constexpr std::size_t kNumSignals = 3;
  static constexpr int kSignals[kNumSignals] = {SIGINT, SIGTERM, SIGHUP};
  static inline volatile std::sig_atomic_t signal_ = 0;  // all that a signal handler may touch
  void (*previous_[kNumSignals])(int) = {};
  bool is_terminal_;
  Clock::time_point start_ = Clock::now(), last_ = start_;
  bool shown_ = false;
};

}  // namespace heft::tools
