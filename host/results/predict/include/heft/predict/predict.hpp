// The torque that an identified model predicts on any log, row by row beside the measured one.
// Threads: any number of threads may call, each with objects of its own; what is const may be
// shared. Two calls must not write to one file.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "heft/base/enum_names.hpp"
#include "heft/base/result.hpp"
#include "heft/log/source.hpp"

#pragma GCC visibility push(default)
namespace heft {

enum class ObserverMode {
  causal,      ///< with what is past at every instant, as a robot would see it
  zero_phase,  ///< through the filter of the identification, forward and backward
};

template <>
struct EnumNames<ObserverMode> {
  static constexpr EnumName<ObserverMode> kList[] = {{ObserverMode::causal, "causal"},
                                                     {ObserverMode::zero_phase, "zero_phase"}};
};

/// Torques from outside, by a momentum observer.
struct ExternalTorqueOptions {
  ObserverMode mode = ObserverMode::causal;
  double lowpass_hz = 15;  ///< bandwidth of the causal observer, below half the log's rate
  /// An alarm is raised beyond so many times what the identification left over of the channel's
  /// torque: its rms residual, on held-out logs where there were some; or the middle size of the
  /// log's own residual as a standard deviation, if that is more.
  double threshold = 8;
};

struct PredictSummary {
  long long num_rows = 0;
  long long num_alarms = 0;     ///< how often an alarm began
  long long num_unsettled = 0;  ///< rows of which the observer says nothing, for it has not settled
  /// Joints of which it says nothing in so many other rows, for their torque is missing there or
  /// near.
  std::vector<std::pair<std::string, long long>> without_torque;
  /// Joints whose alarm waits for so many times what the identification's own residuals ask for,
  /// because this log's are larger all along: what acts all the time raises none.
  std::vector<std::pair<std::string, double>> raised_thresholds;
  double overall_relative = 0;  ///< sqrt(sum e^2 / sum tau^2) over the used rows; NaN if none is
                                ///< used
};

/// Reads result.json (or that of a directory) and the identified.urdf beside it, conditions `log`
/// as the result's options say, and writes a CSV: t, then per channel measured_<channel>,
/// predicted_<channel> [N m or N], used_<channel> (1 or 0). Known torques are part of both; a
/// measured torque that is not used is nan. The file appears whole or not at all. Errors: those of
/// reading the model and of condition_log; stopped().
Result<PredictSummary> predict_log(const std::string& result_path, const Log& log,
                                   const std::string& output_path, const Progress& progress = {});

/// The same with columns external_<joint> [N m or N], positive where it helps the motor, and alarm
/// (1 or 0): whether one of them is beyond its threshold, or has been within 0.1 s; nan before an
/// observer has settled, and of a joint whose torque is missing. Errors also: a base that moves; a
/// bandwidth or a threshold that makes no sense; an observer that never settles.
Result<PredictSummary> predict_log(const std::string& result_path, const Log& log,
                                   const std::string& output_path,
                                   const ExternalTorqueOptions& external,
                                   const Progress& progress = {});

}  // namespace heft
#pragma GCC visibility pop
