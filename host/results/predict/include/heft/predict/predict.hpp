// Predicts the torque of an identified model on any log, row by row with the measured torque.
// Threads: safe to call from several threads on separate objects; const objects may be shared. Two
// calls must not write to the same file.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "heft/base/enum_names.hpp"
#include "heft/base/result.hpp"
#include "heft/log/source.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// How external torques are filtered.
enum class ObserverMode {
  causal,      ///< uses only past samples, as on a robot
  zero_phase,  ///< uses the filter of the identification, forward and backward
};

template <>
struct EnumNames<ObserverMode> {
  static constexpr EnumName<ObserverMode> kList[] = {{ObserverMode::causal, "causal"},
                                                     {ObserverMode::zero_phase, "zero_phase"}};
};

/// Mode, bandwidth and alarm of the momentum observer that estimates external torques.
struct ExternalTorqueOptions {
  ObserverMode mode = ObserverMode::causal;
  double lowpass_hz = 15;  ///< bandwidth of the causal observer, below half the log's rate
  /// Threshold of the alarm, as a multiple of the channel's residual torque: the rms residual of
  /// the identification, on held-out logs if there were any, or the log's own residual (the
  /// standard deviation that corresponds to its median size) if that is larger.
  double threshold = 8;
};

/// Counts and errors of a prediction.
struct PredictSummary {
  long long num_rows = 0;
  long long num_alarms = 0;     ///< number of times that an alarm began
  long long num_unsettled = 0;  ///< rows before the observer settled
  /// Joints with the number of rows that have no external torque because a torque is missing there
  /// or nearby; excludes rows before the observer settled.
  std::vector<std::pair<std::string, long long>> without_torque;
  /// Joints with the factor by which their threshold exceeds that of the identification's
  /// residuals, because the residuals of this log are larger throughout: permanent effects do not
  /// raise alarms.
  std::vector<std::pair<std::string, double>> raised_thresholds;
  double overall_relative = 0;  ///< sqrt(sum e^2 / sum tau^2) over the used rows; NaN if no row is
                                ///< used
};

/// Predicts the torques of a log. Reads result.json (or that of a directory) and the
/// identified.urdf next to it, conditions `log` with the options of the result, and writes a CSV:
/// t, then per channel measured_<channel>, predicted_<channel> [N m or N], used_<channel> (1 or 0).
/// Both torques include known torques; a measured torque that is not used is NaN. The file is
/// written completely or not at all. Errors: those of reading the model and of condition_log;
/// stopped().
Result<PredictSummary> predict_log(const std::string& result_path, const Log& log,
                                   const std::string& output_path, const Progress& progress = {});

/// Does the same with additional columns external_<joint> [N m or N], positive if it assists the
/// motor, and alarm (1 or 0): 1 if an external torque exceeds its threshold or did so within 0.1 s.
/// NaN before an observer has settled and for a joint whose torque is missing. Further errors: a
/// moving base, an invalid bandwidth or threshold, an observer that never settles.
Result<PredictSummary> predict_log(const std::string& result_path, const Log& log,
                                   const std::string& output_path,
                                   const ExternalTorqueOptions& external,
                                   const Progress& progress = {});

}  // namespace heft
#pragma GCC visibility pop
