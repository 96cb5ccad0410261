// What designs and judgments stand on: limits, what is known, what must not meet; made once, read
// by all.
#pragma once

#include <memory>

#include "assess.hpp"
#include "clearance/sphere_distances.hpp"
#include "heft/excite/design.hpp"
#include "information.hpp"
#include "limits.hpp"

namespace heft::excite {

/// Not moved: the task points into it.
struct Ground {
  Limits limits;
  Information information;
  MotionSamples states;        ///< of the task: of the options, or all over the limits
  Eigen::MatrixXd task;        ///< mean information of a second at `states`
  Eigen::MatrixXd everywhere;  ///< the same of states all over the limits: what rows of this robot
                               ///< can be
  Eigen::MatrixXd excitable;   ///< directions that rows can have
  std::vector<std::string> notes;
  CollisionModel collisions;
  SpherePairs spheres;     ///< if there is a search
  Eigen::VectorXd center;  ///< the posture in the middle of the limits, or near it where nothing is
                           ///< too near and motors can hold it

  bool looks_at_collisions() const { return !collisions.pairs.empty(); }
};

/// Of a robot whose base is held. Errors name the option.
Result<std::unique_ptr<Ground>> make_ground(const Robot& robot, const ExciteOptions& options,
                                            const TrainingData* known);

/// What only a search needs: spheres and a center.
void prepare_search(Ground& ground);

/// Where the motion is told to begin and end; none: wherever is best. Errors: joints that do not
/// exist or are not named, a posture outside of its limits, or in collision.
Result<std::optional<Eigen::VectorXd>> rest_of(const Robot& robot, const Ground& ground,
                                               const ExciteOptions& options);

/// Which samples of a motion tell anything; empty: all.
std::vector<bool> counting(const MotionShape& shape, const MotionSamples& samples);

}  // namespace heft::excite
