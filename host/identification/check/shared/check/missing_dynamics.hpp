// Detects torques from which a controller or a logger subtracted a model: gravity, gravity and
// Coriolis terms, or the complete dynamics.
//
// With the bodies of the robot's file the torque of channel c is  y_c = m a_c + b v_c + sum_k g_k
// G_kc + friction: a_c is the torque of the accelerations, v_c that of the velocities, G_kc that of
// a unit gravity along axis k of the base. A measured torque has m, b and |g| of about 1 for any
// orientation of the base; without gravity g is zero, and an estimate of the external torque has
// all three near zero.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "heft/check/check.hpp"
#include "heft/rows/backend.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// Terms of the torque of samples, num_samples x num_channels each.
struct DynamicsTerms {
  Eigen::ArrayXXd acceleration, velocity;
  std::array<Eigen::ArrayXXd, 3> gravity;  ///< of the robot's gravity, rotated to x, y and z of the
                                           ///< base
};

/// Returns the terms for `parameters` of the plan, filtered like the samples' torques, for every
/// stretch. Errors: those of the backend.
Result<std::vector<DynamicsTerms>> dynamics_terms(Backend& backend, const RegressorPlan& plan,
                                                  const Eigen::VectorXd& parameters,
                                                  const std::vector<const Samples*>& samples);

/// The subtracted part of the model.
enum class MissingPart { gravity, gravity_and_coriolis, dynamics };

/// A subtracted model and its evidence.
struct MissingDynamics {
  MissingPart part = MissingPart::gravity;
  double gravity_share = 0;       ///< share of the file's gravity contained in the torques
  double acceleration_share = 0;  ///< share of the file's inertia torques; NaN: not determined by
                                  ///< the log
};

/// Returns the part of the model that is missing in the torques of consecutive samples; empty if
/// gravity is insignificant or present. For plans of a fixed base with gravity; `terms` are those
/// of `samples`.
std::optional<MissingDynamics> missing_dynamics(const RegressorPlan& plan,
                                                const std::vector<const Samples*>& samples,
                                                const std::vector<DynamicsTerms>& terms);

/// Returns whether the torques clearly contain gravity: at least twice the share below which it
/// would be missing.
bool has_gravity(const RegressorPlan& plan, const std::vector<const Samples*>& samples,
                 const std::vector<DynamicsTerms>& terms);

/// Returns the finding in words, with the option that fixes it if there is one.
Finding finding_of(const MissingDynamics& missing, const std::string& path);

}  // namespace heft
#pragma GCC visibility pop
