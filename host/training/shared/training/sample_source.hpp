// Logs as a stream of conditioned samples that can be run through more than once: kept in memory while small,
// read again when large.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "heft/config/configuration.hpp"
#include "heft/log/log.hpp"
#include "heft/model/regressor_plan.hpp"

#pragma GCC visibility push(default)
namespace heft {

class SampleSource {
 public:
  using Sink = std::function<Result<Done>(int segment, const Samples& block)>;
  using Progress = std::function<void(double fraction)>;

  /// `max_samples`, if above 0, ends the stream after so many; the rest of the logs is read, not handed on.
  SampleSource(std::vector<std::string> paths, const RegressorPlan& plan, const Configuration& configuration,
               const DerivedSignals& derived, std::int64_t max_samples = 0)
      : paths_(std::move(paths)),
        plan_(plan),
        configuration_(configuration),
        derived_(derived),
        max_samples_(max_samples) {}

  /// Keeps nothing in memory: for sources that are run once, or rarely again.
  void keep_nothing() { all_kept_ = false; }

  /// Hands all blocks of all logs to `sink`; segment ids go on from log to log.
  Result<Done> run(const Sink& sink, const Progress& progress = {});

  /// One a log, complete after the first run.
  const std::vector<LogSummary>& summaries() const { return summaries_; }
  bool empty() const { return paths_.empty(); }

 private:
  Result<Done> read(const Sink& sink, const Progress& progress);
  Result<Done> hand_on(const Sink& sink, int segment, const Samples& block);
  void keep(int segment, const Samples& block);

  std::vector<std::string> paths_;
  const RegressorPlan& plan_;
  const Configuration& configuration_;
  const DerivedSignals& derived_;
  std::int64_t max_samples_;

  struct Block {
    int segment;
    Samples samples;
  };
  std::vector<LogSummary> summaries_;
  std::vector<Block> kept_;
  double kept_bytes_ = 0;
  bool was_read_ = false;
  bool all_kept_ = true;
};

}  // namespace heft
#pragma GCC visibility pop
