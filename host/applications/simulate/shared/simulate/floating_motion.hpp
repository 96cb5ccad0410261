// Motion of a floating base on feet, by inverse dynamics.
//
// With the joints' motion given, the base has six equations in its frame's axes,
//   M [u; wd] + b = sum_k G_k' w_k,     u = a - g
// Feet in contact push such that the base follows a reference motion: the wrenches solve
//   min  sum_k w_k' W_k^-1 w_k + |sum_k G_k' w_k - B|^2 / lambda
// with B the wrench of the wanted acceleration and weights W_k that grow with a foot's share of the
// load and prefer forces inside a friction cone. The equations then give the acceleration that
// these wrenches really cause, so that they hold exactly; without feet, the base falls freely. Feet
// are not held in place: only forces, not the ground, are simulated.
#pragma once

#include <Eigen/Geometry>
#include <functional>
#include <vector>

#include "heft/executor/executor.hpp"
#include "heft/simulate/simulate.hpp"
#include "robot/link_place.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// A place where the ground can push.
struct SimulatedFoot {
  std::string frame;
  LinkPlace place;
  ContactType type = ContactType::point;
  LineAxis axis = LineAxis::y;
  double radius = 0;
};

/// Returns the feet of wrenches and contacts, each frame once. Errors: a frame that does not exist;
/// too few feet for the gait.
Result<std::vector<SimulatedFoot>> simulated_feet(const Robot& robot, const SimulatedBase& base);

/// The six equations of the base at given joints, in its axes, force before torque:
///   wrench = M [u; wd] + C w + Q(w) + r,   Q: that of a rigid body with inertia M
struct BaseEquation {
  Eigen::Matrix<double, 6, 6> M;
  Eigen::Matrix<double, 6, 3> C;
  Eigen::Matrix<double, 6, 1> r;

  double mass() const { return M(0, 0); }
  Eigen::Vector3d first_moment() const { return {M(5, 1), M(3, 2), M(4, 0)}; }
  Eigen::Matrix<double, 6, 1> bias(const Eigen::Vector3d& w) const;
};

/// Returns the equations of every row of a motion of the joints.
Result<std::vector<BaseEquation>> base_equations(const SimulatedTruth& truth,
                                                 const Samples& joints);

/// Joint motion at a time.
using JointMotion =
    std::function<void(double t, Eigen::VectorXd& q, Eigen::VectorXd& qd, Eigen::VectorXd& qdd)>;

/// A simulated motion at the rows of a log.
struct FloatingMotion {
  Samples samples;       ///< with base_motion and the torque of every channel, without noise
  Eigen::ArrayXXd pose;  ///< of the root link: x, y, z, qx, qy, qz, qw
  /// Per foot: force and torque on the robot about the frame's origin and in its axes, rows x 6.
  std::vector<Eigen::ArrayXXd> wrenches;
  Eigen::ArrayXXd loads;  ///< rows x feet: share of the load that a foot may take; 0 in the air
};

/// Simulates. `joints`: their motion at the rows of the log; `between`: at any time, or empty,
/// which takes steps of rows. Errors: a robot without mass; one that falls; stopped().
Result<FloatingMotion> floating_motion(const SimulatedTruth& truth, const SimulateOptions& options,
                                       const std::vector<SimulatedFoot>& feet,
                                       const Samples& joints, const JointMotion& between,
                                       const Progress& progress = {});

}  // namespace heft
#pragma GCC visibility pop
