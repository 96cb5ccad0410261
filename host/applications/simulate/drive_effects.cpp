#include "drive_effects.hpp"

#include <cmath>
#include <numbers>

#include "heft/executor/executor.hpp"

namespace heft {

namespace {

bool is_joint(const Channel& channel) {
  return channel.coordinate >= 0;
}

/// Torque of the columns alone.
Result<Eigen::ArrayXXd> friction_of(const SimulatedTruth& truth, const Samples& samples) {
  Eigen::VectorXd parameters = truth.parameters;
  parameters.head(truth.plan->layout.column_index(0)).setZero();
  HEFT_TRY(backend, make_backend({.kind = BackendKind::cpu}));
  const PredictJob job{truth.plan.get(), &samples, &parameters};
  Eigen::ArrayXXd friction;
  HEFT_CHECK(backend->predict({&job, 1}, {&friction, 1}));
  return friction;
}

Result<Done> drift(const SimulatedTruth& truth, double share, const Samples& samples,
                   Eigen::ArrayXXd& torque) {
  HEFT_TRY(friction, friction_of(truth, samples));
  const Eigen::ArrayXd since = samples.time - samples.time[0];
  torque -= friction.colwise() * (share * since / std::max(since[since.size() - 1], 1e-9));
  return Done{};
}

void add_play(const RegressorPlan& plan, double backlash, const Eigen::ArrayXXd& torque,
              Samples& samples) {
  for (int c = 0; c < plan.num_channels(); ++c)
    if (const Channel& channel = plan.channels[static_cast<std::size_t>(c)]; is_joint(channel))
      samples.position.col(channel.coordinate) += 0.5 * backlash * torque.col(c).sign();
}

/// Exact for a torque that is constant between rows.
void low_pass(double cutoff_hz, const Eigen::ArrayXd& time, Eigen::Ref<Eigen::ArrayXd> torque) {
  for (Eigen::Index i = 1; i < torque.size(); ++i) {
    const double step = time[i] - time[i - 1];
    const double share = -std::expm1(-2 * std::numbers::pi * cutoff_hz * step);
    torque[i] = torque[i - 1] + share * (torque[i] - torque[i - 1]);
  }
}

}  // namespace

Result<Done> add_drive_effects(const SimulatedTruth& truth, const SimulateOptions& options,
                               Samples& samples, Eigen::ArrayXXd& torque) {
  const RegressorPlan& plan = *truth.plan;
  if (options.friction_drift > 0) HEFT_CHECK(drift(truth, options.friction_drift, samples, torque));
  if (options.backlash > 0) add_play(plan, options.backlash, torque, samples);
  for (int c = 0; c < plan.num_channels() && options.torque_lowpass_hz > 0; ++c)
    if (is_joint(plan.channels[static_cast<std::size_t>(c)]))
      low_pass(options.torque_lowpass_hz, samples.time, torque.col(c));
  return Done{};
}

}  // namespace heft
