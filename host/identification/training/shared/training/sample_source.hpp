// Logs as a stream of conditioned samples that can be run several times: small logs are kept in
// memory, large ones are read again.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "heft/setup/setup.hpp"
#include "heft/training/training_data.hpp"
#include "rows/row_kind.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// Returns the size of samples in memory [bytes].
double bytes_of(const Samples& samples);

/// The conditioned samples of a small log, for reuse without reading it.
struct ConditionedLog {
  struct Block {
    int segment;
    Samples samples;
  };
  LogSummary summary;
  std::vector<Block> blocks;
  double bytes = 0;
};

class DeviceConditioner;  // rows/device_conditioner.hpp

/// What a device conditioned for a source, over all runs.
struct ConditionedOnDevice {
  std::int64_t num_logs = 0;                                 ///< conditioned by the device
  std::vector<std::pair<std::string, std::string>> on_host;  ///< other logs, and why the host did
  double host_cpu_s = 0;                                     ///< CPU time of LogWave
};

/// A stream of conditioned samples of several logs.
class SampleSource {
 public:
  /// `model` and `options` must outlive the source. If `max_samples` is positive, the stream ends
  /// after that many samples; the rest of the logs is read but not delivered.
  SampleSource(std::vector<Log> logs, const Model& model, const GatherOptions& options,
               std::int64_t max_samples = 0)
      : logs_(std::move(logs)), model_(model), options_(options), max_samples_(max_samples) {}

  /// Sets the memory for samples kept for further runs; default 64 MB.
  void keep_at_most(double bytes) { most_bytes_ = bytes; }
  /// Keeps no samples, for sources that are run once or rarely again.
  void keep_nothing() { keep_at_most(0); }

  /// Replaces reading by the conditioned samples of all logs, in their order, from another source
  /// with this model and these options. All samples are delivered, regardless of `max_samples`.
  void hold(std::vector<ConditionedLog> logs);
  /// Returns, after the first run of a source with one log, the samples that it kept and releases
  /// them; empty if they were too large.
  std::optional<ConditionedLog> take();

  /// Uses one of several threads for conditioning while the sink works, and all of them for
  /// expressions. Blocks do not change.
  void condition_on(int num_threads) { num_threads_ = num_threads; }

  /// Conditions the logs that the device can on it, many at a time; null: all on the host. Blocks
  /// have the same samples, whose numbers differ in their last digits.
  void condition_by(std::shared_ptr<DeviceConditioner> device) { device_ = std::move(device); }
  const ConditionedOnDevice& on_device() const { return on_device_; }

  /// Passes all blocks of all logs to `sink`; segment ids continue from log to log. `hear` receives
  /// the delivered fraction before every block.
  Result<Done> run(const BlockSink& sink, const HearFraction& hear = {});

  /// Returns one summary per log, complete after the first run.
  const std::vector<LogSummary>& summaries() const { return summaries_; }
  bool empty() const { return logs_.empty(); }

  /// Returns the index in summaries() of the log with a segment that run() has passed to the sink.
  int log_of(int segment) const;

  /// Returns the kind of rows that are summed.
  const RowKind& rows() const;
  /// Returns the wrenches whose effect is removed from rows; null: none.
  const UnknownWrenches* unknown_wrenches() const;

 private:
  class Wave;

  LogReading reading(const DerivedSignals& derived) const;
  Result<Done> read(const BlockSink& sink, const HearFraction& hear);
  Result<Done> hand_on(const BlockSink& sink, int segment, Samples block);
  /// Whether it can be kept after all others; otherwise releases these.
  bool has_room_for(const Samples& block);

  std::vector<Log> logs_;
  const Model& model_;
  const GatherOptions& options_;
  std::int64_t max_samples_;

  std::vector<LogSummary> summaries_;
  std::vector<int> first_segments_;  ///< of every log
  std::vector<ConditionedLog::Block> kept_;
  double kept_bytes_ = 0, most_bytes_ = 64e6;
  bool was_read_ = false;
  bool all_kept_ = true;
  int num_threads_ = 1;
  std::shared_ptr<DeviceConditioner> device_;
  ConditionedOnDevice on_device_;
};

}  // namespace heft
#pragma GCC visibility pop
