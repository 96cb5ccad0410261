// What a page shows of a watched robot, between the thread of the samples and those of the page.
// Memory is bounded: readers that are late miss old samples. Threads: add_.. and set_.. are for one
// thread, the rest for any.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <limits>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "watch_stream/watch_stream.hpp"

namespace heft::tools {

/// Numbers for /metrics, as of the newest line.
struct LiveTotals {
  double time = std::numeric_limits<double>::quiet_NaN();  ///< of the newest sample [s]
  long long num_samples = 0, num_errors = 0, num_dropped = 0;
  double error_relative = std::numeric_limits<double>::quiet_NaN();
  SampleTimes sample_times;
  WatchAnswer answer;
  struct Changes {
    long long count = 0;
    double size = 0;  ///< of the newest
  };
  std::map<std::string, Changes> changes;  ///< by what changed
};

class LiveView {
 public:
  explicit LiveView(std::size_t num_channels);

  /// Keeps at most 25 samples per second [N m or N]. Does not allocate or wait: skips the sample if
  /// a reader copies at this moment.
  void add_sample(double time, std::span<const double> measured, std::span<const double> predicted);
  void add_line(const WatchLine& line);
  void set_totals(LiveTotals totals);
  void end();  ///< there will be no more samples

  /// How far a reader has come.
  struct Cursor {
    long long rows = 0, events = 0, states = 0, answer = 0;
  };
  struct News {
    std::vector<double> rows;  ///< time, measured and predicted torques of every sample
    std::vector<std::string> events, states;
    std::optional<WatchAnswer> answer;
    bool has_ended = false;
  };
  /// Returns what came since the last call for this cursor, after 0.2 s or at the end.
  News wait_for_news(Cursor& cursor) const;

  LiveTotals totals() const;
  /// Returns the time since the last sample, or since the start [s].
  double idle_s() const;
  std::size_t row_size() const { return row_size_; }

 private:
  /// Texts, the newest of so many.
  struct Recent {
    std::size_t most;
    std::deque<std::string> texts = {};
    long long count = 0;  ///< that were added
    void add(const std::string& text);
    std::vector<std::string> since(long long& cursor) const;
  };

  const std::size_t row_size_;
  mutable std::mutex mutex_;
  mutable std::condition_variable has_ended_changed_;
  std::vector<double> rows_;
  long long num_rows_ = 0;  ///< that were added
  double last_row_;         ///< time of the newest [s]
  Recent events_, states_;
  LiveTotals totals_;
  bool has_ended_ = false;
  std::atomic<double> newest_;  ///< clock of the newest sample [s]
};

}  // namespace heft::tools
