// A robot file as the rules see it: every link and joint as it is written, and what follows from
// them: shapes, the tree, masses that move together.
//
// Everything is in the link's own axes unless a name says otherwise.
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
  Eigen::AlignedBox3d box;  ///< around every shape that could be read; empty if none
  Solid solid;  ///< of the visuals, or of the collisions if those are not all closed solids
  double largest_volume = 0;  ///< of one shape alone: the link encloses at least that much [m^3]
  double largest_mesh = 0;    ///< diagonal of the largest mesh that could be read [m]
  bool whole = false;  ///< every visual, or every collision, could be read: the link is in the box
  std::vector<std::string> unread;  ///< meshes that were not found or could not be read

  bool known() const { return !box.isEmpty(); }
  double diagonal() const { return known() ? box.diagonal().norm() : 0; }
};

struct LinkFacts : WrittenLink {
  LinkGeometry geometry;
  std::string joint_above;                                        ///< empty for a root
  Eigen::Isometry3d X_root_link = Eigen::Isometry3d::Identity();  ///< with all joints at zero
  std::vector<Eigen::Vector3d> joints_below;                      ///< their origins
  bool moves = false;      ///< below a joint that moves; false: part of the root, which may be any
                           ///< machine's bed
  double moved_mass = -1;  ///< of the link and all that is fixed to it; < 0: not below a moving
                           ///< joint

  Eigen::Vector3d com() const { return X_link_inertial.translation(); }
  /// The link's own size as far as the file tells: of its geometry, else the way to its farthest
  /// joint.
  double size() const;
  /// The same without joints: of its geometry, or four times the spread of its mass; 0 if the file
  /// has neither.
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
  double moving_mass = 0;  ///< without the root and all that is fixed to it

  const LinkFacts* link(const std::string& name) const;
};

/// Meshes are those that `document`, from which `written` came, finds.
RobotFacts gather_facts(const WrittenRobot& written, const RobotDocument& document,
                        const CheckOptions& options);

LinkGeometry gather_geometry(const WrittenLink& link, const RobotDocument& document,
                             const CheckOptions& options);

}  // namespace heft::check
