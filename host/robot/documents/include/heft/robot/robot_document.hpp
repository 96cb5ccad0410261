// A robot file: the robot that it describes, the shapes and meshes of its links, and the same file
// with other inertias. RobotDocument is the interface of all formats, so that code that needs a
// robot, its shapes or a modified file does not depend on a format. URDF is the only format so far.
//
// Threads: a document is immutable; safe to use from several threads.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "heft/base/result.hpp"
#include "heft/model/robot.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// How a robot file is converted to a Robot.
struct RobotOptions {
  bool floating_base = false;            ///< the root link moves freely and is body 0
  Eigen::Vector3d gravity{0, 0, -9.81};  ///< [m/s^2], base axes
  std::string rotors_path;               ///< YAML file with the rotors; empty: no rotors
  /// Fixed links that remain separate bodies, together with all links fixed to them, because a
  /// sensor is between them and their carrier. No effect on links that move anyway.
  std::vector<std::string> separate_links = {};
  /// Joints treated as fixed at these positions [rad] or [m], together with the joints that mimic
  /// them.
  std::map<std::string, double> locked_joints = {};
};

/// Friction of one coordinate, including that of its mimic joints; `<dynamics>` in the robot file.
struct JointFriction {
  std::string joint;    ///< name of the coordinate
  double damping = 0;   ///< viscous, [N m s/rad] or [N s/m]
  double friction = 0;  ///< Coulomb, [N m] or [N]
};

/// Identified quantities other than the bodies' parameters.
struct IdentifiedDynamics {
  std::vector<JointFriction> friction;     ///< joints that are not listed keep the file's values
  std::vector<std::string> not_expressed;  ///< quantities that the robot file cannot express;
                                           ///< written as a comment
};

/// Purpose for which a link has a shape.
enum class ShapeUse { collision, visual };

/// One shape of a link.
struct Shape {
  enum class Kind { box, cylinder, sphere, mesh };
  Kind kind = Kind::box;
  Eigen::Isometry3d X_link_shape = Eigen::Isometry3d::Identity();  ///< pose in the link
  Eigen::Vector3d size = Eigen::Vector3d::Zero();                  ///< edge lengths of a box [m]
  double radius = 0;  ///< radius of a cylinder or sphere [m]
  double length = 0;  ///< length of a cylinder along its z axis [m]
  std::string mesh;   ///< name of the mesh as written in the file: a path, package://.., file://..
  Eigen::Vector3d scale = Eigen::Vector3d::Ones();  ///< scale of the mesh's vertices
};

// in robot/written_robot.hpp, which is not installed
struct WrittenRobot;
struct InertialChange;

/// The interface of a parsed robot file.
class RobotDocument {
 public:
  virtual ~RobotDocument() = default;
  RobotDocument(const RobotDocument&) = delete;
  RobotDocument& operator=(const RobotDocument&) = delete;

  const std::string& path() const { return path_; }  ///< file name for errors
  const std::string& text() const { return text_; }  ///< contents of the file

  /// Returns the robot with the rotors of `rotors_text` (empty: no rotors; options.rotors_path
  /// names it in errors). See read_robot.
  virtual Result<Robot> robot(const std::string& rotors_text,
                              const RobotOptions& options) const = 0;

  /// Returns the names of all links in the order of the file.
  virtual std::vector<std::string> links() const = 0;

  /// Returns the shapes of a link for one use in the order of the file; may be empty. Errors name
  /// file, line and element: unknown link, a shape without its sizes, an invalid number, an unknown
  /// kind of shape.
  virtual Result<std::vector<Shape>> shapes(const std::string& link, ShapeUse use) const = 0;

  /// Returns the pose of a link in the frame of `carrier`, to which fixed joints connect it. Error:
  /// fixed joints do not connect them, or a link does not exist.
  virtual Result<Eigen::Isometry3d> pose(const std::string& link,
                                         const std::string& carrier) const = 0;

  /// Returns the path of the file that Shape::mesh refers to, searched near the robot file and then
  /// in `package_folders`; empty if not found.
  virtual std::string find_mesh(const std::string& name,
                                const std::vector<std::string>& package_folders) const = 0;

  /// Returns the file with `parameters[i]` as the inertia of body i of `robot`, which must come
  /// from this file, and with `dynamics`. See with_identified.
  virtual Result<std::string> with_identified(const Robot& robot,
                                              const std::vector<BodyParameters>& parameters,
                                              const IdentifiedDynamics& dynamics) const = 0;

  /// Returns the name of that file beside result.json.
  virtual std::string identified_name() const = 0;

  /// Returns all links and joints as written in the file, for checks. Error: more of them than any
  /// robot has.
  virtual Result<WrittenRobot> as_written() const = 0;

  /// Returns the file with these numbers in its inertials. Everything else in the file is
  /// unchanged.
  virtual Result<std::string> with_inertials(const std::vector<InertialChange>& changes) const = 0;

 protected:
  RobotDocument(std::string path, std::string text)
      : path_(std::move(path)), text_(std::move(text)) {}

 private:
  std::string path_, text_;
};

/// Reads a robot file. Errors name file, line and remedy: missing or unreadable file, directory,
/// empty file, malformed XML (with line and column), custom XML entities, no `<robot>` element.
Result<std::unique_ptr<RobotDocument>> load_robot_document(const std::string& path);

/// Parses a robot file in memory; `path` names it in errors.
Result<std::unique_ptr<RobotDocument>> parse_robot_document(const std::string& path,
                                                            const std::string& text);

/// Reads a robot. Fixed links, except separate_links, are merged into the link that carries them. A
/// mimic joint shares the coordinate that it follows, also through other mimic joints. A planar or
/// floating joint becomes a chain of bodies without parameters with the coordinates `<joint>`.x,
/// .y, .angle or .x, .y, .z, .yaw, .pitch, .roll. With a floating base, a floating joint between a
/// massless root and the rest is dropped, and its child becomes the base. A link without
/// `<inertial>` has zero parameters. The damping and friction of a coordinate include those of its
/// mimic joints. Errors name file, line if there is one, link or joint, and remedy: those of
/// load_robot_document; unexpanded xacro; robot, links or joints without name, duplicate names, two
/// roots, cycles, no moving joint (with a fixed base), zero axis, unknown joint type, an
/// `<inertial>` without mass or tensor, negative mass, a locked joint that does not exist, is
/// fixed, mimics another joint or is outside its limits, a revolute or prismatic joint without
/// `<limit>`, a `<limit>` without effort or velocity, `<dynamics>` without damping and friction,
/// mimic of a joint that does not exist, an invalid number, a rotor on a link or joint that does
/// not exist, a separate link that does not exist. The format of the rotors file is in
/// host/robot/documents/rotors.hpp.
Result<Robot> read_robot(const std::string& path, const RobotOptions& options = {});

/// Reads a robot from text in memory; `path` and options.rotors_path only name the texts in errors.
/// `rotors_text` is empty without rotors.
Result<Robot> read_robot_text(const std::string& path, const std::string& text,
                              const std::string& rotors_text, const RobotOptions& options = {});

/// Returns the joints of the robot's file that RobotOptions::locked_joints locked, without joints
/// that mimic them. The Robot does not store their positions; the returned values are within their
/// limits.
Result<std::map<std::string, double>> locked_joints_of(const Robot& robot);

/// Returns the file of `robot` (Robot::source_text) with `parameters[i]` as the inertia of body i.
/// The moving link gets the whole merged body, and fixed links merged into it lose their inertials.
/// Links on locked joints keep theirs, and the moving link gets the remainder; if the remainder is
/// not physically consistent, they keep a part of theirs or nothing. `dynamics.friction` is written
/// as `<dynamics>`; joints of one coordinate share it in the original proportions. Everything else
/// in the file stays unchanged, including comments and line ends. Numbers have 17 digits;
/// `<origin>` is the center of mass with rpy zero. Rotors, bodies without parameters, and bodies
/// whose mass is and was zero are not written. Error: a pseudo-inertia with an eigenvalue below
/// zero by more than rounding (rods, points and optima on the boundary pass) or with a number that
/// is not finite.
Result<std::string> with_identified(const Robot& robot,
                                    const std::vector<BodyParameters>& parameters,
                                    const IdentifiedDynamics& dynamics = {});

/// Returns the names of the files of identified robots, one per format.
std::vector<std::string> identified_names();

/// Returns the file of an identified robot in a folder: the first of these names that exists there,
/// or the first of all.
std::string identified_file_in(const std::string& folder);

/// Writes the result of with_identified to a file, completely or not at all. Errors: those of
/// with_identified; the file cannot be written.
Result<Done> write_identified(const Robot& robot, const std::vector<BodyParameters>& parameters,
                              const std::string& path, const IdentifiedDynamics& dynamics = {});

}  // namespace heft
#pragma GCC visibility pop
