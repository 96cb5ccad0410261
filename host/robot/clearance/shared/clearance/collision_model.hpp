// A robot and what is around it, as hulls, and the pairs of them that may meet.
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

/// The collision shapes of a link, a hull each.
struct LinkShapes {
  std::string name;
  int body = -1;                                     ///< that it rides on; -1: the base
  std::vector<Hull> hulls;                           ///< in the axes of the body
  Eigen::Vector3d center = Eigen::Vector3d::Zero();  ///< of a sphere around all of them
  double reach = 0;                                  ///< its radius [m]
};

/// Two links, or a link and something in the world.
struct CollisionPair {
  int first = 0;   ///< index of links
  int second = 0;  ///< index of links, of world if `with_world`
  bool with_world = false;
  double wanted = 0;  ///< [m] that they keep
};

struct CollisionModel {
  Robot robot;
  std::vector<LinkShapes> links;
  std::vector<WorldSolid> world;
  std::vector<CollisionPair> pairs;  ///< that can come nearer and part; empty: nothing to look at
  std::vector<std::string> notes;    ///< what is not looked at, and why, in words
  Eigen::VectorXd lower, upper;      ///< positions between which the coordinates stay

  const std::string& first_name(const CollisionPair& pair) const { return links[pair.first].name; }
  const std::string& second_name(const CollisionPair& pair) const {
    return pair.with_world ? world[pair.second].name : links[pair.second].name;
  }
  /// Poses of the bodies by their index + 1; the base is first.
  std::vector<Eigen::Isometry3d> poses(const Eigen::VectorXd& position) const;
  /// The coordinates that move the two of a pair against each other.
  std::vector<int> coordinates_between(const CollisionPair& pair) const;
  /// Anywhere between `lower` and `upper`.
  Eigen::VectorXd random_posture(RandomStream& random) const;
};

/// Of the shapes of the robot's own file. Links of one body, and those of bodies that follow each
/// other, are no pairs; nor are those that the SRDF disables, those that meet in nearly all of many
/// random postures (a note says so), and those whose distance no joint changes. Pairs that are
/// built so near that hardly any posture parts them by the margin need not keep it. Errors: shapes,
/// SRDF or obstacles that cannot be read, an SRDF of another robot, an obstacle or a floor that is
/// in the way in all postures; and, only if something is asked for, links without any shape.
Result<CollisionModel> make_collision_model(const Robot& robot, const ClearanceOptions& options,
                                            const Eigen::VectorXd& lower,
                                            const Eigen::VectorXd& upper);

/// How far the spheres around the two of a pair are apart, no more than they are; negative where
/// these overlap.
double spheres_apart(const CollisionModel& model, const CollisionPair& pair,
                     const std::vector<Eigen::Isometry3d>& poses);

}  // namespace heft
#pragma GCC visibility pop
