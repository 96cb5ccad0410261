// Finds torques from which a controller or a logger took a model off: gravity, gravity and Coriolis
// terms, or all of the dynamics.
//
// With the bodies of the robot's file the torque of channel c is  y_c = m a_c + b v_c + sum_k g_k
// G_kc + friction: a_c the torque of the accelerations, v_c that of the velocities, G_kc that of a
// unit gravity along axis k of the base. A measured torque has m, b and |g| of about 1, wherever
// the base stands; without gravity g is zero, and all three are of an estimate of the external
// torque.
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
  std::array<Eigen::ArrayXXd, 3> gravity;  ///< of the robot's gravity, turned along x, y and z of
                                           ///< the base
};

/// Terms by `parameters` of the plan, filtered as the samples' torques are, of every stretch.
/// Errors: the backend's.
Result<std::vector<DynamicsTerms>> dynamics_terms(Backend& backend, const RegressorPlan& plan,
                                                  const Eigen::VectorXd& parameters,
                                                  const std::vector<const Samples*>& samples);

enum class MissingPart { gravity, gravity_and_coriolis, dynamics };

struct MissingDynamics {
  MissingPart part = MissingPart::gravity;
  double gravity_share = 0;       ///< of the file's gravity that is in the torques
  double acceleration_share = 0;  ///< of the file's inertia torques; NaN: the log does not tell
};

/// Returns what is missing of the torques of consecutive samples; nothing where gravity hardly
/// shows or is there. For plans of a fixed base whose gravity is not zero; `terms` are those of
/// `samples`.
std::optional<MissingDynamics> missing_dynamics(const RegressorPlan& plan,
                                                const std::vector<const Samples*>& samples,
                                                const std::vector<DynamicsTerms>& terms);

/// The finding in words, with the option that fixes it, if one does.
Finding finding_of(const MissingDynamics& missing, const std::string& path);

}  // namespace heft
#pragma GCC visibility pop
