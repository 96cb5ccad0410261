// Converts samples of a working robot to lines of JSON (docs/watch.md): determines the rate, runs
// the solver in a thread of its own, reads and writes snapshots. Threads: one thread calls a stream
// at a time.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>

#include "heft/base/result.hpp"
#include "predict/identified_model.hpp"
#include "watch/baseline.hpp"
#include "watch/watcher.hpp"

#pragma GCC visibility push(default)
namespace heft {

struct WatchStreamOptions {
  double forget_s = 0;   ///< WatchOptions::forget_s
  long long every = 0;   ///< samples between lines of type state; 0: those of a second
  std::string snapshot;  ///< file to resume from if it exists, and to write; empty: none
  std::string source = "standard input";       ///< place of the samples in errors
  std::optional<WatchBaseline> baseline = {};  ///< lines compare parameters with it
};

/// A JSON object in one line, without its end.
struct WatchLine {
  enum class Type { state, change, error };
  Type type = Type::state;
  std::string what;  ///< for a change or an error
  double size = 0;   ///< for a change
  std::string text;
};

/// CPU time per sample.
struct SampleTimes {
  long long count = 0;
  double median_us = 0, most_us = 0;  ///< the latter at 99.99 %; of all samples, in steps of 0.1 us
};

class WatchStream {
 public:
  /// Resumes from the snapshot if there is one. Errors: those of watch_model and Watcher::resume;
  /// options out of range; a snapshot that cannot be read.
  static Result<WatchStream> make(const IdentifiedModel& identified,
                                  const WatchStreamOptions& options);
  WatchStream(WatchStream&&) noexcept;
  WatchStream& operator=(WatchStream&&) noexcept;
  ~WatchStream();

  /// Takes a sample: time [s], [rad] or [m] of every coordinate, [N m] or [N] of every channel.
  /// Returns the lines that follow from it, which hold until the next call. The first 20 samples
  /// determine the rate and are processed with the last of them. Errors: times that do not advance,
  /// a snapshot that cannot be written.
  Result<std::span<const WatchLine>> push(double time, std::span<const double> position,
                                          std::span<const double> torque);

  /// Returns an error line about input that is not a sample, for the first of every thousand.
  std::span<const WatchLine> complain(const std::string& what);

  /// Ends the solver's thread, solves once more, writes the snapshot and returns the last state.
  /// Error: fewer samples than determine the rate; push() cannot be called afterward.
  Result<std::span<const WatchLine>> finish();

  /// Sets the number of lines that no one read, which later states contain.
  void set_dropped(long long count);

  /// Null until the rate is known.
  const Watcher* watcher() const;
  bool is_certified() const;  ///< of the newest answer
  SampleTimes sample_times() const;
  double solver_seconds() const;  ///< CPU time of the solver's thread [s], after finish()

 private:
  struct State;
  explicit WatchStream(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace heft
#pragma GCC visibility pop
