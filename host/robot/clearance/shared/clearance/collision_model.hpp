// A robot and its surroundings as convex hulls, and the pairs of them that can collide.
#pragma once

#include <Eigen/Geometry>
#include <string>
#include <vector>

#include "base/random_stream.hpp"
#include "clearance/hull.hpp"
#include "clearance/world_solid.hpp"
#include "heft/clearance/options.hpp"
#include "heft/model/robot.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// The collision shapes of a link, one hull each.
struct LinkShapes {
  std::string name;
  int body = -1;                                     ///< body that carries it; -1: the base
  std::vector<Hull> hulls;                           ///< in the axes of the body
  Eigen::Vector3d center = Eigen::Vector3d::Zero();  ///< center of a sphere around all hulls
  double reach = 0;                                  ///< radius of that sphere [m]
};

/// Two links, or a link and a solid in the world.
struct CollisionPair {
  int first = 0;   ///< index into links
  int second = 0;  ///< index into links, or into world if `with_world`
  bool with_world = false;
  double wanted = 0;  ///< required distance [m]
};

/// All solids and the pairs to check.
struct CollisionModel {
  Robot robot;
  std::vector<LinkShapes> links;
  std::vector<WorldSolid> world;
  std::vector<CollisionPair> pairs;  ///< pairs whose distance can change; empty: nothing to check
  std::vector<std::string> notes;    ///< what is not checked, and why
  Eigen::VectorXd lower, upper;      ///< range of the coordinates

  const std::string& first_name(const CollisionPair& pair) const { return links[pair.first].name; }
  const std::string& second_name(const CollisionPair& pair) const {
    return pair.with_world ? world[pair.second].name : links[pair.second].name;
  }
  /// Returns the poses of the bodies at index + 1; the base is first.
  std::vector<Eigen::Isometry3d> poses(const Eigen::VectorXd& position) const;
  /// Returns the coordinates that move the two parts of a pair relative to each other.
  std::vector<int> coordinates_between(const CollisionPair& pair) const;
  /// Returns random positions between `lower` and `upper`.
  Eigen::VectorXd random_posture(RandomStream& random) const;
};

/// Makes the model from the shapes of the robot's own file. Excluded pairs: links of one body or of
/// consecutive bodies, pairs that the SRDF disables, pairs that collide in nearly all of many
/// random postures (reported in a note), and pairs whose distance no joint changes. Pairs that are
/// so close by design that hardly any posture separates them by the margin need not keep it.
/// Errors: shapes, SRDF or obstacles that cannot be read, an SRDF of another robot, an obstacle or
/// floor that collides in all postures; links without any shape, if collision checks were
/// explicitly requested.
Result<CollisionModel> make_collision_model(const Robot& robot, const ClearanceOptions& options,
                                            const Eigen::VectorXd& lower,
                                            const Eigen::VectorXd& upper);

/// Returns a lower bound of the distance of a pair from the spheres around its two parts; negative
/// if the spheres overlap.
double spheres_apart(const CollisionModel& model, const CollisionPair& pair,
                     const std::vector<Eigen::Isometry3d>& poses);

}  // namespace heft
#pragma GCC visibility pop
