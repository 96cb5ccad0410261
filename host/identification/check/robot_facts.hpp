// A robot file as input of the rules: every link and joint as written, and derived shapes, tree,
// and masses that move together.
//
// Quantities are in the link's own axes unless a name says otherwise.
#pragma once

#include <Eigen/Geometry>
#include <map>
#include <string>
#include <vector>

#include "geometry/solid.hpp"
#include "heft/check/check.hpp"
#include "model/units.hpp"
#include "robot/written_robot.hpp"

namespace heft::check {

/// Visual and collision shapes of one link together.
struct LinkGeometry {
  Eigen::AlignedBox3d box;  ///< around all readable shapes; empty without any
  Solid solid;  ///< from the visuals, or from the collisions if those are not all closed solids
  double largest_volume = 0;  ///< of a single shape: lower bound of the link's volume [m^3]
  double largest_mesh = 0;    ///< diagonal of the largest readable mesh [m]
  bool whole = false;  ///< every visual, or every collision, was readable: the box encloses the
                       ///< link
  std::vector<std::string> unread;  ///< meshes that are missing or unreadable

  bool known() const { return !box.isEmpty(); }
  double diagonal() const { return known() ? box.diagonal().norm() : 0; }
};

struct LinkFacts : WrittenLink {
  LinkGeometry geometry;
  std::string joint_above;                                        ///< empty for a root
  Eigen::Isometry3d X_root_link = Eigen::Isometry3d::Identity();  ///< with all joints at zero
  std::vector<Eigen::Vector3d> joints_below;                      ///< origins
  bool moves = false;  ///< below a moving joint; false: part of the root, which may be a machine
                       ///< bed
  double moved_mass = -1;  ///< of the link and everything fixed to it; < 0: not below a moving
                           ///< joint

  Eigen::Vector3d com() const { return X_link_inertial.translation(); }
  /// Returns the link's size: from its geometry, otherwise the distance to its farthest joint.
  double size() const;
  /// Returns the size without joints: from the geometry, or four times the spread of the mass; 0 if
  /// the file has neither.
  double body_size() const;
};

struct JointFacts : WrittenJoint {
  bool turns() const { return type == "revolute" || type == "continuous"; }
  bool moves() const { return type != "fixed"; }
  const char* unit() const { return position_unit(type != "prismatic"); }  ///< of its position
};

struct RobotFacts {
  RobotFileTerms terms;
  std::vector<LinkFacts> links;
  std::vector<JointFacts> joints;
  std::map<std::string, std::size_t> link_index;
  double reach = 0;  ///< from the root to the farthest link origin, joint by joint [m]

  double total_mass = 0;
  double moving_mass = 0;  ///< without the root and everything fixed to it

  const LinkFacts* link(const std::string& name) const;
};

/// Uses the meshes that `document`, the source of `written`, finds.
RobotFacts gather_facts(const WrittenRobot& written, const RobotDocument& document,
                        const CheckOptions& options);

LinkGeometry gather_geometry(const WrittenLink& link, const RobotDocument& document,
                             const CheckOptions& options);

}  // namespace heft::check
