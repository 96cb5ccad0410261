// One start of the search: an augmented Lagrangian, L-BFGS inside (FORMULAS 9), then violations
// that proofs find between samples are repaired.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "assess.hpp"
#include "clearance/min_clearance.hpp"
#include "scorer.hpp"

namespace heft::excite {

struct StartOptions {
  int num_samples = 200;        ///< of the search
  int rounds = 10, steps = 50;  ///< of the Lagrangian, of L-BFGS in each
  std::uint64_t seed = 0;
  std::optional<Eigen::VectorXd> rest;          ///< where the motion begins and ends
  std::optional<Eigen::MatrixXd> coefficients;  ///< to begin from; none: random ones
  Eigen::VectorXd center;  ///< a posture about which motions begin, and to which they can be shrunk
  std::function<bool()> goes_on;
};

struct StartResult {
  CoefficientMotion motion;
  double objective = 0;
  std::vector<LimitUse> limits;             ///< as found by the proof and at the torques' samples
  std::optional<ClearanceFound> clearance;  ///< if there are pairs to look at
  bool feasible = false;
  long evaluations = 0;
};

/// Steps between the samples at which torques are checked [s].
inline constexpr double kTorqueStep = 1e-3;

StartResult search_from(const Task& task, const StartOptions& options);

/// Assessment and proof of a motion's limits; torques at every kTorqueStep, and between where these
/// keep their limits.
std::vector<LimitUse> check_limits(const Task& task, const CoefficientMotion& motion);

/// The proof of a motion's clearance.
ClearanceFound check_clearance(const CollisionModel& model, const Limits& limits,
                               const CoefficientMotion& motion);

}  // namespace heft::excite
