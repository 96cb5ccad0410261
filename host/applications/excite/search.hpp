// One start of the search: an augmented Lagrangian with L-BFGS inside (FORMULAS 9), then repair of
// violations that the verification finds between samples.
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
  int num_samples = 200;        ///< used by the search
  int rounds = 10, steps = 50;  ///< iterations of the Lagrangian, and of L-BFGS in each
  std::uint64_t seed = 0;
  std::optional<Eigen::VectorXd> rest;          ///< posture at the begin and end of the motion
  std::optional<Eigen::MatrixXd> coefficients;  ///< initial coefficients; empty: random
  Eigen::VectorXd center;  ///< posture around which motions begin and toward which they can be
                           ///< shrunk
  std::function<bool()> goes_on;
};

struct StartResult {
  CoefficientMotion motion;
  double objective = 0;
  std::vector<LimitUse> limits;             ///< from the proof, and from the samples of torques
  std::optional<ClearanceFound> clearance;  ///< present if there are pairs to check
  bool feasible = false;
  long evaluations = 0;
};

/// Spacing of the samples at which torques are checked [s].
inline constexpr double kTorqueStep = 1e-3;

StartResult search_from(const Task& task, const StartOptions& options);

/// Assesses a motion and verifies its limits; checks torques every kTorqueStep, and between samples
/// where these are within their limits.
std::vector<LimitUse> check_limits(const Task& task, const CoefficientMotion& motion);

/// Verifies the clearance of a motion.
ClearanceFound check_clearance(const CollisionModel& model, const Limits& limits,
                               const CoefficientMotion& motion);

}  // namespace heft::excite
