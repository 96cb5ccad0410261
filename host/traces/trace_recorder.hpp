// Makes Traces of samples and predictions that stream by, in constant memory.
#pragma once

#include "heft/backend.hpp"
#include "heft/estimate.hpp"
#include "heft/traces.hpp"
#include "host/traces/contributions.hpp"
#include "host/traces/envelopes.hpp"
#include "host/traces/spectrum.hpp"

namespace heft {

class TraceRecorder {
 public:
  /// Of the answer that `estimate` is; its errors on the training logs scale the histograms.
  TraceRecorder(const RegressorPlan& plan, const Estimate& estimate, Backend& backend);

  /// The samples that follow and what the estimate predicts for them, num_samples x num_channels.
  Result<Done> push(int segment, const Samples& block, const Eigen::ArrayXXd& predicted);

  /// All that was pushed.
  Traces traces(bool held_out);

 private:
  int num_series_per_channel() const;
  void count_residuals(const Eigen::ArrayXXd& residual);

  const RegressorPlan& plan_;
  Backend& backend_;
  Contributions contributions_;
  bool has_known_torque_ = false;
  Envelopes envelopes_;  ///< channel by channel: measured, predicted, residual, contributions, known torque
  Spectrum spectrum_;
  std::vector<Histogram> histograms_;
};

}  // namespace heft
