// Makes Traces of samples and predictions that stream by, in constant memory.
#pragma once

#include "heft/rows/backend.hpp"
#include "heft/traces/traces.hpp"
#include "traces/contributions.hpp"
#include "traces/envelopes.hpp"
#include "traces/spectrum.hpp"
#include "traces/spread_rows.hpp"

#pragma GCC visibility push(default)
namespace heft {

class TraceRecorder {
 public:
  /// Of the answer `parameters`; the rms error of every channel, on the training logs, scales its
  /// histogram.
  TraceRecorder(const RegressorPlan& plan, const Eigen::VectorXd& parameters,
                const std::vector<double>& rms_errors, Backend& backend);

  /// The samples that follow and what the estimate predicts for them, num_samples x num_channels.
  Result<Done> push(int segment, const Samples& block, const Eigen::ArrayXXd& predicted);

  /// All that was pushed.
  Traces traces(bool held_out);

 private:
  int num_series_per_channel() const;
  void count_residuals(const Eigen::ArrayXXd& residual);
  void keep_friction(const Samples& block, const Eigen::ArrayXXd& residual,
                     const std::vector<Eigen::ArrayXXd>& parts);
  FrictionPoints friction_of(int channel) const;

  const RegressorPlan& plan_;
  Backend& backend_;
  Contributions contributions_;
  bool has_known_torque_ = false;
  Envelopes envelopes_;  ///< channel by channel: measured, predicted, residual, contributions,
                         ///< known torque
  Spectrum spectrum_;
  std::vector<Histogram> histograms_;
  SpreadRows postures_;
  /// Channel by channel: speed, residual plus friction, friction. Nothing is kept of a model
  /// without columns.
  SpreadRows friction_;
};

}  // namespace heft
#pragma GCC visibility pop
