// Training data: sums over the logs, whose size does not depend on their length, and everything
// needed to estimate again without the logs, on any machine and with other priors, constraints or
// weights. Threads: safe to call from several threads on separate objects; const objects may be
// shared. Two calls must not write to the same file.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "heft/geometry/bounding.hpp"
#include "heft/log/log.hpp"
#include "heft/moments/moments.hpp"
#include "heft/rows/backend.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// Cost of a residual: its square; with huber, linear beyond 1.345 standard deviations of the
/// channel [Huber 1964].
enum class Loss { squares, huber };
/// Noise model of the channels: separate variances, or a full covariance matrix.
enum class ChannelCovariance { diagonal, full };

/// Weights of the rows of kinds of logs.
enum class LogWeights {
  automatic,  ///< in configurations: residuals for robots with feet, otherwise equal
  equal,      ///< the noise of a channel is the same in all logs
  residuals,  ///< by the variance of a channel's residuals in the logs of a kind
};

/// A kind of experiment, such as hung or stance.
struct LogKind {
  std::string kind;
  std::vector<std::string> logs;  ///< their names, with or without folders
  double weight = 1;              ///< factor on the squared errors of its logs

  bool operator==(const LogKind&) const = default;
};

/// Weights of rows, which depend on the residuals of an estimate unless squares and variances are
/// used.
struct RowWeightingOptions {
  Loss loss = Loss::squares;
  ChannelCovariance channel_covariance = ChannelCovariance::diagonal;
  int rounds = 4;  ///< for huber and full covariance; two passes over the samples each
  LogWeights log_weights = LogWeights::equal;
  std::vector<LogKind> log_kinds = {};  ///< any other log is a kind of its own

  /// Returns whether the weights of single rows, or the covariance, depend on residuals.
  bool needs_residuals() const {
    return loss != Loss::squares || channel_covariance != ChannelCovariance::diagonal;
  }
  /// Returns whether logs of different kinds may have different weights.
  bool weighs_logs() const {
    return log_weights == LogWeights::residuals ||
           std::any_of(log_kinds.begin(), log_kinds.end(),
                       [](const LogKind& kind) { return kind.weight != 1; });
  }
  /// Returns whether the samples are read more than once.
  bool needs_several_passes() const { return needs_residuals() || weighs_logs(); }
};

/// How training data are gathered from logs: their format, conditioning and weights of rows.
struct GatherOptions {
  /// "auto": radians, but a log whose positions are clearly in degrees is rejected.
  LogFormat log = {.angle_unit = "auto"};
  ConditioningOptions conditioning;
  RowWeightingOptions weighting;
  int max_samples = 0;  ///< uses only this many conditioned samples, the first ones; 0: all
  /// All options as JSON text, for the record: TrainingData::options.
  std::string record;
};

/// Everything that identification keeps of the logs.
struct TrainingData {
  PlanPtr plan;  ///< robot, channels and columns
  /// Options with which the logs were conditioned, for the record and to repeat the run: a JSON
  /// object with sections `robot`, `log`, `conditioning`, ..; empty: unknown.
  std::string options = {};
  std::optional<BoundingEllipsoids> ellipsoids = {};  ///< of the bodies, if they were read
  std::vector<LogSummary> logs = {};                  ///< in the order of reading
  Moments moments = {};                               ///< of all samples
  std::vector<MomentStretch> stretches = {};  ///< the same in stretches, in order, for folds and
                                              ///< blocks; empty in compact data
  /// Differences of added data from these, in words: options, the robot's file. Robot and options
  /// are those of the first.
  std::vector<std::string> disagreements = {};
  /// Version of heft that wrote the file of these data; empty if they come from logs.
  std::string written_by = {};

  /// Returns whether the data contain only the sum of all samples, without which folds and blocks
  /// cannot be made.
  bool is_compact() const { return stretches.empty(); }
};

/// Adds `from` to `into`: sums and samples of both. Different options, or another robot file with
/// the same joints and columns, are allowed and recorded in `disagreements`. Adding compact data
/// makes the sum compact. Errors leave `into` unchanged: robots or columns differ; the message
/// names the difference.
Result<Done> add(TrainingData& into, const TrainingData& from);

/// The contents of a moments file.
enum class MomentsForm {
  whole,    ///< with stretches
  compact,  ///< only the sum of all samples, packed
};

/// Writes a moments file, completely or not at all. It is self-contained: robot and the text it was
/// read from, channels, columns, layout and regrouping, options, bounding ellipsoids if there are
/// any, the program's version; docs/moments.md specifies the format byte by byte. Equal data give
/// equal bytes. Errors: the file cannot be written; whitened channels
/// (estimation.channel_covariance), whose sums cannot be added to others.
Result<Done> write_moments_file(const TrainingData& data, const std::string& path,
                                MomentsForm form = MomentsForm::whole);

/// Reads a moments file and restores the data bit for bit, except the number of threads. Errors, in
/// time and memory proportional to the file: missing, empty, truncated or altered file, an older or
/// newer format, another byte order, an invalid description, numbers that are not finite, an
/// unfinished sum.
Result<TrainingData> read_moments_file(const std::string& path);

/// Unfinished sums and the data that they belong to.
struct UnfinishedTraining {
  TrainingData data;  ///< its moments are zero and its stretches empty; logs: those that were read
                      ///< completely
  UnfinishedMoments sums;
};

/// Writes a snapshot of a MomentAccumulator in the same file format, from which another process can
/// continue. Of `data`, options and logs are stored. Whitened sums and sums over all channels are
/// allowed.
Result<Done> write_unfinished_moments_file(const TrainingData& data, const UnfinishedMoments& sums,
                                           const std::string& path);

/// Reads the file of a snapshot. Errors: those of read_moments_file, except an unfinished sum; a
/// finished sum; rows that this version would evaluate differently from the one that began.
Result<UnfinishedTraining> read_unfinished_moments_file(const std::string& path);

// a moments file in memory, to send or to store elsewhere

/// Returns the bytes that write_moments_file writes. Errors: those of write_moments_file, except
/// those of the disk; `where` replaces the path.
Result<std::string> moments_bytes(const TrainingData& data, const std::string& where,
                                  MomentsForm form = MomentsForm::whole);

/// Returns the data that read_moments_file reads from a file with these bytes. Errors: those of
/// read_moments_file, except those of the disk.
Result<TrainingData> moments_from_bytes(const std::string& bytes, const std::string& where);

}  // namespace heft
#pragma GCC visibility pop
