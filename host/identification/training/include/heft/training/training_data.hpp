// What identification keeps of the logs: sums that no longer grow with them, and all that is needed
// to estimate again, with other priors, constraints or weights, on any machine and without the
// logs. Threads: any number of threads may call, each with objects of its own; what is const may be
// shared. Two calls must not write to one file.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "heft/geometry/bounding.hpp"
#include "heft/log/log.hpp"
#include "heft/moments/moments.hpp"
#include "heft/rows/backend.hpp"

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

/// How training data come from logs.
struct GatherOptions {
  /// "auto": radians, but a log whose positions are evidently in degrees is refused.
  LogFormat log = {.angle_unit = "auto"};
  ConditioningOptions conditioning;
  RowWeightingOptions weighting;
  int max_samples = 0;  ///< learn from the first so many conditioned samples; 0: from all
  /// All options as a JSON text, for the record: TrainingData::options.
  std::string record;
};

struct TrainingData {
  PlanPtr plan;  ///< robot, channels and columns
  /// The options under which the logs were conditioned, a JSON object of sections of options:
  /// `robot`, `log`, `conditioning`, .. for the record, and to do the same again; empty: not known.
  std::string options = {};
  std::optional<BoundingEllipsoids> ellipsoids = {};  ///< of the bodies, if they were read
  std::vector<LogSummary> logs = {};                  ///< in the order in which they were read
  Moments moments = {};                               ///< of all samples
  std::vector<MomentStretch> stretches = {};  ///< the same, in order, for folds and blocks; none in
                                              ///< compact data
  /// By what data that were added differ from these, in words: options, the robot's file. Robot and
  /// options are those of the first.
  std::vector<std::string> disagreements = {};
  /// Version of the heft that wrote the file they come from; empty if they come from logs.
  std::string written_by = {};

  /// Only the sum of all samples is there: neither folds nor blocks can be made.
  bool is_compact() const { return stretches.empty(); }
};

/// into += from: the samples of both. Other options and another robot file with the same joints and
/// columns may be meant and go to `disagreements`. With compact data the sum is compact, too.
/// Error, which names what differs, and nothing added, if robots or columns differ.
Result<Done> add(TrainingData& into, const TrainingData& from);

enum class MomentsForm {
  whole,    ///< with stretches
  compact,  ///< the sum of all samples only, packed
};

/// Writes a moments file, whole or not at all. It stands by itself: robot and the text it was read
/// from, channels, columns, layout and regrouping, options, bounding ellipsoids if there are any,
/// the program's version; docs/moments.md has the format byte by byte. Equal data give equal bytes.
/// Error as well for whitened channels (estimation.channel_covariance), whose sums add up with no
/// others.
Result<Done> write_moments_file(const TrainingData& data, const std::string& path,
                                MomentsForm form = MomentsForm::whole);

/// Reads it back, the same bits; the number of threads alone is not kept. Errors, within time and
/// memory in proportion to the file: missing, empty, truncated or altered file, an older or newer
/// format, another order of bytes, a description that makes no sense, numbers that are not finite,
/// a sum that is not finished.
Result<TrainingData> read_moments_file(const std::string& path);

/// Sums that are not finished, with what they are of.
struct UnfinishedTraining {
  TrainingData data;  ///< its moments are zero, stretches it has none; logs: those read to their
                      ///< end
  UnfinishedMoments sums;
};

/// The same file for a MomentAccumulator's snapshot, from which another process goes on. Of `data`,
/// options and logs are kept. Sums that are whitened or over all channels are welcome.
Result<Done> write_unfinished_moments_file(const TrainingData& data, const UnfinishedMoments& sums,
                                           const std::string& path);

/// Errors: those of read_moments_file, but for a sum that is finished; rows that this heft would
/// evaluate otherwise than the one that began.
Result<UnfinishedTraining> read_unfinished_moments_file(const std::string& path);

// A moments file without a file: its bytes, to send or store otherwise.

/// The bytes that write_moments_file writes. Errors as of it, but for those of the disk; `where`
/// stands for the path.
Result<std::string> moments_bytes(const TrainingData& data, const std::string& where,
                                  MomentsForm form = MomentsForm::whole);

/// What read_moments_file reads from a file of these bytes. Errors as of it, but for those of the
/// disk.
Result<TrainingData> moments_from_bytes(const std::string& bytes, const std::string& where);

}  // namespace heft
#pragma GCC visibility pop
