// Logs as a stream of conditioned samples that can be run through more than once: kept in memory while small,
// read again when large.
#pragma once

#include <functional>
#include <vector>

#include "heft/setup/model.hpp"
#include "heft/training/gather_options.hpp"
#include "rows/row_kind.hpp"

#pragma GCC visibility push(default)
namespace heft {

class SampleSource {
 public:
  using Sink = std::function<Result<Done>(int segment, const Samples& block)>;
  using HearFraction = std::function<void(double fraction)>;

  /// `max_samples`, if above 0, ends the stream after so many; the rest of the logs is read, not handed on.
  SampleSource(std::vector<Log> logs, const Model& model, const GatherOptions& options,
               std::int64_t max_samples = 0)
      : logs_(std::move(logs)), model_(model), options_(options), max_samples_(max_samples) {}

  /// Keeps nothing in memory: for sources that are run once, or rarely again.
  void keep_nothing() { all_kept_ = false; }

  /// Of several threads, one conditions while the sink works, and all share out expressions. Blocks are the same.
  void condition_on(int num_threads) { num_threads_ = num_threads; }

  /// Hands all blocks of all logs to `sink`; segment ids go on from log to log. `hear` is told before every
  /// block how much has been handed on.
  Result<Done> run(const Sink& sink, const HearFraction& hear = {});

  /// One a log, complete after the first run.
  const std::vector<LogSummary>& summaries() const { return summaries_; }
  bool empty() const { return logs_.empty(); }

  /// What is summed of the samples.
  const RowKind& rows() const;

 private:
  Result<Done> read(const Sink& sink, const HearFraction& hear);
  Result<Done> hand_on(const Sink& sink, int segment, const Samples& block);
  void keep(int segment, const Samples& block);

  std::vector<Log> logs_;
  const Model& model_;
  const GatherOptions& options_;
  std::int64_t max_samples_;

  struct KeptSamples {
    int segment;
    Samples samples;
  };
  std::vector<LogSummary> summaries_;
  std::vector<KeptSamples> kept_;
  double kept_bytes_ = 0;
  bool was_read_ = false;
  bool all_kept_ = true;
  int num_threads_ = 1;
};

}  // namespace heft
#pragma GCC visibility pop
