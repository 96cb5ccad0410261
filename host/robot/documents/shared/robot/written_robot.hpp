// A robot file as written: every link and joint, nothing merged, nothing refused, with locations
// for messages. Each format creates it (RobotDocument::as_written); checks and repairs read it and
// depend on no format.
//
// SI units as far as the file uses them, in the axes of the link. Unreadable numbers keep their
// defaults. All numbers are finite, at most kLargestQuantity in size, and zero if below its
// inverse, so that rules may multiply and divide by them. Locations are "file:line", and empty if
// the file does not have the element.
//
// Threads: plain data: any number of threads may read it.
#pragma once

#include <Eigen/Geometry>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "heft/base/result.hpp"
#include "heft/robot/robot_document.hpp"

namespace heft {

/// Upper bound on every quantity of a robot; products of several do not overflow.
inline constexpr double kLargestQuantity = 1e50;

/// Names of the parts of a file in messages, and the form to write.
struct RobotFileTerms {
  std::string format;            ///< "URDF"
  std::string inertial;          ///< mass, center of mass and tensor of a link: "<inertial>"
  std::string origin;            ///< a pose: "<origin>"
  std::string rotation;          ///< the rotation of a pose: "<origin rpy>"
  std::string mass_form;         ///< "<mass value=\"..\"/>"
  std::string tensor_form;       ///< "<inertia ixx ixy ixz iyy iyz izz>"
  std::string axis_form;         ///< the z axis: "<axis xyz=\"0 0 1\"/>"
  std::string limit_form;        ///< a joint's limits: "<limit lower upper effort velocity>"
  std::string needed_limits;     ///< those without a default: "<limit effort velocity>"
  std::string millimeters_form;  ///< reads a mesh in millimeters: "add scale=.. to the <mesh>"
};

struct WrittenShape {
  std::optional<Shape> shape;  ///< none if it cannot be read
  bool has_mesh = false;
  std::string mesh;  ///< name of the mesh, also where the rest of the shape cannot be read
};

struct WrittenLink {
  std::string name;
  std::string where, where_inertial, where_com, where_mass, where_tensor;
  bool mass_is_written = false;    ///< something is, if no number
  bool tensor_is_written = false;  ///< six entries are, if no numbers
  bool has_mass = false;           ///< a number is given
  bool has_tensor = false;         ///< six numbers are given
  double mass = 0;                 ///< [kg]
  Eigen::Isometry3d X_link_inertial = Eigen::Isometry3d::Identity();
  Eigen::Matrix3d tensor = Eigen::Matrix3d::Zero();  ///< axes of the inertial frame [kg m^2]
  double rounding = 0;  ///< half a unit of the last decimal of the tensor [kg m^2]
  std::vector<WrittenShape> visuals, collisions;

  bool has_inertial() const { return !where_inertial.empty(); }
};

struct WrittenJoint {
  std::string name, parent, child;
  std::string type;  ///< revolute, continuous, prismatic, fixed, planar or floating
  std::string where, where_origin, where_axis, where_limit, where_dynamics;
  Eigen::Isometry3d X_parent_joint = Eigen::Isometry3d::Identity();
  Eigen::Vector3d rpy = Eigen::Vector3d::Zero();  ///< angles of that pose; zero if not by angles
  Eigen::Vector3d axis = Eigen::Vector3d::UnitX();
  bool is_mimic = false;
  bool effort_is_written = false, velocity_is_written = false;  ///< whether the file has a value,
                                                                ///< even an invalid one
  std::optional<double> lower, upper, effort, velocity;         ///< limits
  std::optional<double> damping, friction;
  std::string unused_number;  ///< what is wrong with a number that the joint's type does not use

  bool has_limit() const { return !where_limit.empty(); }
};

/// An element of the file and where it begins.
struct NamedPlace {
  std::string name, where;
};

struct WrittenRobot {
  std::string name;
  RobotFileTerms terms;
  std::vector<WrittenLink> links;  ///< in the order of the file, as `joints`
  std::vector<WrittenJoint> joints;
  std::vector<NamedPlace> elements;  ///< links, joints and all else with a place of its own
  std::optional<Error> unexpanded;   ///< a template, whose robot is not in the file yet
  std::optional<Error> structure;    ///< why the tree of links and joints is refused
  std::optional<Error> numbers;      ///< why a number is refused
};

/// New numbers of one link; what is empty stays.
struct InertialChange {
  std::size_t link = 0;  ///< index into WrittenRobot::links
  std::optional<double> mass;
  std::optional<Eigen::Vector3d> com;     ///< of X_link_inertial
  std::optional<Eigen::Matrix3d> tensor;  ///< axes of the inertial frame
};

}  // namespace heft
