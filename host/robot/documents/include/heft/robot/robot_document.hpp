// A robot file: the robot that it describes, the shapes and meshes of its links, and the same file
// with other inertias. Each format is one class behind one interface; what needs a robot, its
// shapes or its file again asks the document and knows no format. URDF is the format so far.
//
// Threads: a document does not change; any number of threads may ask it.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "heft/base/result.hpp"
#include "heft/model/robot.hpp"

#pragma GCC visibility push(default)
namespace heft {

struct RobotOptions {
  bool floating_base = false;            ///< the root link moves freely and is body 0
  Eigen::Vector3d gravity{0, 0, -9.81};  ///< [m/s^2], base axes
  std::string rotors_path;               ///< YAML with the rotors; empty for none
  /// Fixed links that stay bodies of their own, with all that is fixed to them, since a sensor
  /// stands between them and what carries them. Of a link that moves anyway it changes nothing.
  std::vector<std::string> separate_links = {};
  /// Joints that stand still, at these positions [rad] or [m], as fixed joints do, with all that
  /// mimic them.
  std::map<std::string, double> locked_joints = {};
};

/// Friction of one coordinate, as it feels that of its mimic joints, too: of a robot file the
/// `<dynamics>`.
struct JointFriction {
  std::string joint;    ///< name of the coordinate
  double damping = 0;   ///< viscous, [N m s/rad] or [N s/m]
  double friction = 0;  ///< Coulomb, [N m] or [N]
};

/// What was identified beside bodies.
struct IdentifiedDynamics {
  std::vector<JointFriction> friction;     ///< of other joints the file's stays
  std::vector<std::string> not_expressed;  ///< what a robot file has no words for: goes into a
                                           ///< comment
};

/// Which of the shapes of a link are meant.
enum class ShapeUse { collision, visual };

/// One shape of a link.
struct Shape {
  enum class Kind { box, cylinder, sphere, mesh };
  Kind kind = Kind::box;
  Eigen::Isometry3d X_link_shape = Eigen::Isometry3d::Identity();  ///< its pose in the link
  Eigen::Vector3d size = Eigen::Vector3d::Zero();                  ///< of a box [m]
  double radius = 0;  ///< of a cylinder or a sphere [m]
  double length = 0;  ///< of a cylinder, along its z axis [m]
  std::string mesh;   ///< name of the mesh as the file says it: a path, package://.., file://..
  Eigen::Vector3d scale = Eigen::Vector3d::Ones();  ///< of the mesh's corners
};

// in robot/written_robot.hpp, which is not installed
struct WrittenRobot;
struct InertialChange;

class RobotDocument {
 public:
  virtual ~RobotDocument() = default;
  RobotDocument(const RobotDocument&) = delete;
  RobotDocument& operator=(const RobotDocument&) = delete;

  const std::string& path() const { return path_; }  ///< names the file in errors
  const std::string& text() const { return text_; }  ///< the file's bytes

  /// The robot, with the rotors of `rotors_text` (empty for none; options.rotors_path names it in
  /// errors). See read_robot.
  virtual Result<Robot> robot(const std::string& rotors_text,
                              const RobotOptions& options) const = 0;

  /// The names of all links, in the order of the file.
  virtual std::vector<std::string> links() const = 0;

  /// The shapes of a link for one use, in the order of the file; none is no error. Errors name
  /// file, line and element: no such link, a shape without its sizes, a number that is none, a kind
  /// that is not known.
  virtual Result<std::vector<Shape>> shapes(const std::string& link, ShapeUse use) const = 0;

  /// Pose of a link in the frame of `carrier`, on which it rides through joints that are fixed.
  /// Error: it does not, or there is no such link.
  virtual Result<Eigen::Isometry3d> pose(const std::string& link,
                                         const std::string& carrier) const = 0;

  /// The file that Shape::mesh means, or an empty string if there is none: looked for near the
  /// robot file, then in `package_folders`.
  virtual std::string find_mesh(const std::string& name,
                                const std::vector<std::string>& package_folders) const = 0;

  /// The file with `parameters[i]` as the inertia of body i of `robot`, which came from it, and
  /// with that dynamics. See with_identified.
  virtual Result<std::string> with_identified(const Robot& robot,
                                              const std::vector<BodyParameters>& parameters,
                                              const IdentifiedDynamics& dynamics) const = 0;

  /// The name of that file beside result.json.
  virtual std::string identified_name() const = 0;

  /// All links and joints as the file states them, for checks. Error: more of them than any robot
  /// has.
  virtual Result<WrittenRobot> as_written() const = 0;

  /// The file with these numbers in the inertials that it has. Everything else of the file stays as
  /// it is.
  virtual Result<std::string> with_inertials(const std::vector<InertialChange>& changes) const = 0;

 protected:
  RobotDocument(std::string path, std::string text)
      : path_(std::move(path)), text_(std::move(text)) {}

 private:
  std::string path_, text_;
};

/// Reads a robot file. Errors name file, line and remedy: missing or unreadable file, directory,
/// empty file, malformed XML (with line and column), entities of its own, no `<robot>` element.
Result<std::unique_ptr<RobotDocument>> load_robot_document(const std::string& path);

/// The same from a text in memory; `path` names it in errors.
Result<std::unique_ptr<RobotDocument>> parse_robot_document(const std::string& path,
                                                            const std::string& text);

/// Reads a robot. Fixed links are merged into the link that carries them, but for separate_links; a
/// mimic joint shares the coordinate that it follows, through other mimic joints if need be; a
/// planar or floating joint becomes a chain of bodies without parameters with the coordinates
/// `<joint>`.x, .y, .angle or .x, .y, .z, .yaw, .pitch, .roll. With a floating base, a floating
/// joint between a root without mass and the rest is left out: what hangs on it is the base. A link
/// without `<inertial>` has zero parameters. The damping and friction of a coordinate include those
/// of its mimic joints, as it feels them. Errors name file, line where there is one, link or joint,
/// and remedy: those of load_robot_document; xacro that is left; robot, links or joints without
/// name, duplicate names, two roots, cycles, no moving joint (with a fixed base), zero axis,
/// unknown joint type, an `<inertial>` without mass or tensor, negative mass, a locked joint that
/// does not exist, is fixed, mimics another or stands outside its limits, a revolute or prismatic
/// joint without `<limit>`, a `<limit>` without effort or velocity, `<dynamics>` without damping
/// and friction, mimic of a joint that does not exist, a number that is none, rotor on a link or
/// joint that does not exist, a separate link that does not exist. The format of the rotors file is
/// in host/robot/documents/rotors.hpp.
Result<Robot> read_robot(const std::string& path, const RobotOptions& options = {});

/// The same from texts in memory; `path` and options.rotors_path only name them in errors.
/// `rotors_text` is empty for none.
Result<Robot> read_robot_text(const std::string& path, const std::string& text,
                              const std::string& rotors_text, const RobotOptions& options = {});

/// The joints of the robot's file that RobotOptions::locked_joints held still, those that mimic
/// them aside. The robot does not know at which positions: these are within their limits.
Result<std::map<std::string, double>> locked_joints_of(const Robot& robot);

/// The file of `robot` (Robot::source_text) with `parameters[i]` as the inertia of body i: the link
/// that moves takes the whole merged body, fixed links merged into it lose their inertials. Links
/// on locked joints keep theirs and the link that moves takes the rest; where the rest is no real
/// body they keep a part, or nothing. `dynamics.friction` becomes
/// `<dynamics>`; joints of one coordinate share it as they did. Everything else of the file
/// stays as it is, comments and line ends included. Numbers with 17 digits; `<origin>` is the
/// center of mass with rpy zero. Rotors and bodies without parameters are not written, nor is a
/// body that has no mass and had none. Error if any pseudo-inertia has a negative eigenvalue (more
/// than rounding below zero: rods, points and optima on the boundary pass) or a number that is not
/// finite.
Result<std::string> with_identified(const Robot& robot,
                                    const std::vector<BodyParameters>& parameters,
                                    const IdentifiedDynamics& dynamics = {});

/// The names that files of identified robots have, one a format.
std::vector<std::string> identified_names();

/// The file of an identified robot in a folder: the first of these names that exists there, or the
/// first of all.
std::string identified_file_in(const std::string& folder);

/// Writes that text to a file, which appears whole or not at all. Error also if it cannot be
/// written.
Result<Done> write_identified(const Robot& robot, const std::vector<BodyParameters>& parameters,
                              const std::string& path, const IdentifiedDynamics& dynamics = {});

}  // namespace heft
#pragma GCC visibility pop
