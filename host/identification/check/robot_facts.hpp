// A URDF as the rules see it: every link and joint as it was written, nothing merged, nothing
// refused.
//
// Everything is in the link's own axes unless a name says otherwise; SI units as far as the file
// keeps to them.
#pragma once

#include <Eigen/Geometry>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "geometry/solid.hpp"
#include "heft/check/check.hpp"
#include "model/units.hpp"
#include "robot/urdf_document.hpp"

namespace heft::check {

/// <visual> and <collision> of one link together.
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

struct LinkFacts {
  std::string name;
  pugi::xml_node node;
  pugi::xml_node inertial;  ///< null if there is none
  bool has_mass = false;    ///< a number was given
  bool has_tensor = false;  ///< six numbers were given
  double mass = 0;          ///< [kg]
  Eigen::Isometry3d X_link_inertial = Eigen::Isometry3d::Identity();
  Eigen::Matrix3d tensor = Eigen::Matrix3d::Zero();  ///< as written: axes of the inertial frame
  double rounding = 0;  ///< half a unit of the last decimal of the tensor [kg m^2]
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

struct JointFacts {
  std::string name, type, parent, child;
  pugi::xml_node node;
  Eigen::Isometry3d X_parent_joint = Eigen::Isometry3d::Identity();
  Eigen::Vector3d axis = Eigen::Vector3d::UnitX();

  bool turns() const { return type == "revolute" || type == "continuous"; }
  bool moves() const { return type != "fixed"; }
  const char* unit() const { return position_unit(type != "prismatic"); }  ///< of its position
};

struct RobotFacts {
  std::unique_ptr<UrdfDocument> document;
  std::vector<LinkFacts> links;
  std::vector<JointFacts> joints;
  std::map<std::string, std::size_t> link_index;
  double reach = 0;  ///< from the root to the farthest link origin, joint by joint [m]

  double total_mass = 0;
  double moving_mass = 0;  ///< without the root and all that is fixed to it

  const LinkFacts* link(const std::string& name) const;
};

/// Numbers that cannot be read leave their defaults; check_urdf_numbers says where they are.
RobotFacts gather_facts(std::unique_ptr<UrdfDocument> document, const CheckOptions& options);

LinkGeometry gather_geometry(pugi::xml_node link, const UrdfDocument& document,
                             const CheckOptions& options);

Eigen::Isometry3d read_origin(pugi::xml_node parent);  ///< <origin xyz rpy>, identity if there is
                                                       ///< none

/// The attribute as numbers; `fallback` if it is missing or anything else.
double read_number(pugi::xml_attribute attribute, double fallback);
Eigen::Vector3d read_vector(pugi::xml_attribute attribute, const Eigen::Vector3d& fallback);

}  // namespace heft::check
