// Logs as a stream of conditioned samples that can be run through more than once: kept in memory
// while small, read again when large.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "heft/setup/setup.hpp"
#include "heft/training/training_data.hpp"
#include "rows/row_kind.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// A log as it was conditioned, if that is small: its samples are used again without reading it.
struct ConditionedLog {
  struct Block {
    int segment;
    Samples samples;
  };
  LogSummary summary;
  std::vector<Block> blocks;
  double bytes = 0;
};

class SampleSource {
 public:
  /// `model` and `options` must outlive the source. `max_samples`, if above 0, ends the stream
  /// after so many; the rest of the logs is read, not handed on.
  SampleSource(std::vector<Log> logs, const Model& model, const GatherOptions& options,
               std::int64_t max_samples = 0)
      : logs_(std::move(logs)), model_(model), options_(options), max_samples_(max_samples) {}

  /// Samples are kept in memory for further runs as long as they take no more; 64 MB unless told.
  void keep_at_most(double bytes) { most_bytes_ = bytes; }
  /// For sources that are run once, or rarely again.
  void keep_nothing() { keep_at_most(0); }

  /// In place of reading: all logs, in their order, as another source of this model and these
  /// options took them. All of their samples are handed on, whatever `max_samples` is.
  void hold(std::vector<ConditionedLog> logs);
  /// After the first run of a source of one log: what it kept, which it has no more; none if that
  /// was too large.
  std::optional<ConditionedLog> take();

  /// Of several threads, one conditions while the sink works, and all share out expressions. Blocks
  /// are the same.
  void condition_on(int num_threads) { num_threads_ = num_threads; }

  /// Hands all blocks of all logs to `sink`; segment ids go on from log to log. `hear` is told
  /// before every block how much has been handed on.
  Result<Done> run(const BlockSink& sink, const HearFraction& hear = {});

  /// One a log, complete after the first run.
  const std::vector<LogSummary>& summaries() const { return summaries_; }
  bool empty() const { return logs_.empty(); }

  /// What is summed of the samples.
  const RowKind& rows() const;

 private:
  Result<Done> read(const BlockSink& sink, const HearFraction& hear);
  Result<Done> hand_on(const BlockSink& sink, int segment, const Samples& block);
  void keep(int segment, const Samples& block);

  std::vector<Log> logs_;
  const Model& model_;
  const GatherOptions& options_;
  std::int64_t max_samples_;

  std::vector<LogSummary> summaries_;
  std::vector<ConditionedLog::Block> kept_;
  double kept_bytes_ = 0, most_bytes_ = 64e6;
  bool was_read_ = false;
  bool all_kept_ = true;
  int num_threads_ = 1;
};

}  // namespace heft
#pragma GCC visibility pop
