// Gains of drives: measured torque = (1 + g) x true torque, per joint.
//
// The rows contain products of g and the other unknowns. Heft linearizes them at the last round: it
// divides the measured torque by 1 + g of that round, and the unknown d corrects it,
//   tau_measured / (1 + g_last) - known = Y x + d L,    L = Y x_last of the bodies + known
//   1 + g = (1 + g_last) (1 + d)
// Rounds are Gauss-Newton steps, until neither gains nor loads move. Then d = 0, and the problem of
// the last round, which is certified, has the optimum of all unknowns.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "heft/base/result.hpp"
#include "heft/identify/identify.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// Returns the model with the gains and the reference bodies of loads that its own estimate
/// reproduces within 1e-6, from passes over the training logs. Errors: least squares; no
/// convergence within 50 rounds; those of gather and of the solver; stopped().
Result<ModelOptions> settle_gains(const IdentifyRequest& request, ModelOptions model);

/// The gain of a joint's drive.
struct DriveGain {
  std::string joint;
  double value = 0;                  ///< g
  std::optional<Interval> interval;  ///< of g; empty if it is not identifiable
  /// Whether the logs alone determine it better than its prior standard deviation. Without a known
  /// load, all torques and masses may have another common factor.
  bool is_identifiable = false;
};

/// Note that a fit of gains without a known load does not determine the scale.
inline constexpr const char* kScaleNeedsLoad =
    "gain: no log has a known load, so only ratios of gains between joints are identifiable: torques "
    "and masses that are all 1.5 times as large fit equally well; list a log with a weighed load under "
    "payloads (heft observe --gains shows on which links it helps)";

/// Returns the gains of an identification, in the order of their columns.
std::vector<DriveGain> drive_gains(const Identification& identification);

/// Returns, per column of the layout, whether normal equations and constraints determine it.
std::vector<bool> determined_columns(const ParameterLayout& layout, const Eigen::MatrixXd& G,
                                     const std::vector<bool>& held, bool has_total_mass);

}  // namespace heft
#pragma GCC visibility pop
