// Computes Traces from a stream of samples and predictions, in constant memory.
#pragma once

#include "heft/rows/backend.hpp"
#include "heft/traces/traces.hpp"
#include "traces/contributions.hpp"
#include "traces/envelopes.hpp"
#include "traces/foot_signals.hpp"
#include "traces/spectrum.hpp"
#include "traces/spread_rows.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// Records the traces of an estimate.
class TraceRecorder {
 public:
  /// Records traces of the estimate `parameters`; the rms error of every channel on the training
  /// logs scales its histogram. `feet` are those of the model.
  TraceRecorder(const RegressorPlan& plan, const Eigen::VectorXd& parameters,
                const std::vector<double>& rms_errors, Backend& backend,
                std::vector<FootSignals> feet = {});

  /// Adds the next samples and their predicted torques, num_samples x num_channels.
  Result<Done> push(int segment, const Samples& block, const Eigen::ArrayXXd& predicted);

  /// Returns the traces of all samples.
  Traces traces(bool held_out);

 private:
  int num_series_per_channel() const;
  void count_residuals(const Eigen::ArrayXXd& residual);
  void keep_friction(const Samples& block, const Eigen::ArrayXXd& residual,
                     const std::vector<Eigen::ArrayXXd>& parts);
  FrictionPoints friction_of(int channel) const;
  std::vector<FootTraces> feet() const;
  std::vector<Posture> postures(const Traces& traces) const;

  const RegressorPlan& plan_;
  Backend& backend_;
  Contributions contributions_;
  FootSeries feet_;
  bool has_known_torque_ = false;
  Envelopes envelopes_;  ///< per channel: measured, predicted, residual, contributions, known
                         ///< torque; then the series of the feet
  Spectrum spectrum_;
  std::vector<Histogram> histograms_;
  SpreadRows postures_;  ///< positions, then forces on the feet
  /// Per channel: speed, residual plus friction, friction. Empty for a model without columns.
  SpreadRows friction_;
};

}  // namespace heft
#pragma GCC visibility pop
