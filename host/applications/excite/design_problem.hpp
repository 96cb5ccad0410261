// Shared input of design and assessment: limits, prior knowledge and clearance. Created once, then
// read-only.
#pragma once

#include <memory>

#include "assess.hpp"
#include "clearance/sphere_distances.hpp"
#include "heft/excite/design.hpp"
#include "information.hpp"
#include "limits.hpp"

namespace heft::excite {

/// Not movable: the task points into it.
struct DesignProblem {
  Limits limits;
  Information information;
  MotionSamples states;        ///< states of the task: from the options, or spread over the limits
  Eigen::MatrixXd task;        ///< mean information per second at `states`
  Eigen::MatrixXd everywhere;  ///< the same at states spread over the limits: the rows that this
                               ///< robot can produce
  Eigen::MatrixXd excitable;   ///< directions that rows can have
  std::vector<std::string> notes;
  CollisionModel collisions;
  SpherePairs spheres;     ///< present if there is a search
  Eigen::VectorXd center;  ///< posture in the middle of the limits, or close to it where the
                           ///< clearance or the motors require

  bool looks_at_collisions() const { return !collisions.pairs.empty(); }
};

/// For a robot with a fixed base. Errors name the option.
Result<std::unique_ptr<DesignProblem>> make_design_problem(const Robot& robot,
                                                           const ExciteOptions& options,
                                                           const TrainingData* known);

/// Input that only a search needs: spheres and a center.
void prepare_search(DesignProblem& problem);

/// Requested start and end of the motion; empty: free. Errors: unknown or unnamed joints, a posture
/// outside its limits or in collision.
Result<std::optional<Eigen::VectorXd>> rest_of(const Robot& robot, const DesignProblem& problem,
                                               const ExciteOptions& options);

/// Returns which samples of a motion carry information; empty: all.
std::vector<bool> counting(const MotionShape& shape, const MotionSamples& samples);

}  // namespace heft::excite
