// How training data come from logs.
// Threads: plain values: share them for reading; a thread that changes one must own it.
#pragma once

#include <string>

#include "heft/log/log.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// What a residual costs: its square, or from 1.345 standard deviations of the channel on only its
/// size [Huber 1964].
enum class Loss { squares, huber };
/// Noise of the channels: each with a variance of its own, or with the covariances between them,
/// too.
enum class ChannelCovariance { diagonal, full };

/// What rows count: by the residuals of an answer, if anything but squares and variances is asked
/// for.
struct RowWeightingOptions {
  Loss loss = Loss::squares;
  ChannelCovariance channel_covariance = ChannelCovariance::diagonal;
  int rounds = 4;  ///< of huber and full covariance; two passes over the samples each

  bool needs_residuals() const {
    return loss != Loss::squares || channel_covariance != ChannelCovariance::diagonal;
  }
};

struct GatherOptions {
  /// "auto": radians, but a log whose positions are evidently in degrees is refused.
  LogFormat log = {.angle_unit = "auto"};
  ConditioningOptions conditioning;
  RowWeightingOptions weighting;
  int max_samples = 0;  ///< learn from the first so many conditioned samples; 0: from all
  /// All options as a JSON text, for the record: TrainingData::options.
  std::string record;
};

}  // namespace heft
#pragma GCC visibility pop
