// Everything that identification knows before it sees data: the definition of the rows, the prior
// of the bodies, and the constraints of every estimate. A configuration file or a program provides
// short descriptions, from which it is made once; all other functions take it or parts of it.
// Threads: safe to call from several threads on separate objects; const objects may be shared. A
// Model may be shared: its load is safe to call from several threads, one call at a time per
// thread.
#pragma once

#include <Eigen/Core>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "heft/base/enum_names.hpp"
#include "heft/base/result.hpp"
#include "heft/geometry/bounding.hpp"
#include "heft/log/log.hpp"
#include "heft/model/parameter_layout.hpp"
#include "heft/model/regressor_plan.hpp"
#include "heft/model/robot.hpp"
#include "heft/solve/prior.hpp"
#include "heft/solve/problem.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// A force-torque sensor on any link: six screws on the link that it carries, and the conversion of
/// its readings to newtons.
///
/// The log contains raw readings; the wrench that carries the link is sign (scale raw - offset),
/// force [N] and torque [N m], in the axes of the sensor and about its origin. FORMULAS 1.
struct SensorSpec {
  std::string name;  ///< its channels are `name`_fx, _fy, _fz, _nx, _ny, _nz
  /// The sensor measures this link and everything outward of it. A link that is fixed to its
  /// carrier must be kept separate: RobotOptions::separate_links.
  std::string link;
  /// Pose of the sensor in the link: x, y, z [m], roll, pitch, yaw [rad], with rotation Rz Ry Rx as
  /// in URDF.
  Eigen::Matrix<double, 6, 1> pose = Eigen::Matrix<double, 6, 1>::Zero();
  double sign = 1;  ///< 1: reads the wrench that carries the link; -1: the wrench of the link on
                    ///< its carrier
  double force_scale = 1;   ///< [N] per unit of the log
  double torque_scale = 1;  ///< [N m] per unit of the log
  /// Known bias: force [N] and torque [N m] read without load, before the sign.
  Eigen::Matrix<double, 6, 1> offset = Eigen::Matrix<double, 6, 1>::Zero();
};

/// Returns the channels of sensors, six each in the order of the names above. Errors name the
/// sensor: no name, or a duplicate name; a link that is not a body of the robot, or is the root of
/// a floating base, whose wrench already has channels; a sign that is not 1 or -1; a scale of zero;
/// numbers that are not finite.
Result<std::vector<Channel>> sensor_channels(const Robot& robot,
                                             const std::vector<SensorSpec>& sensors);

/// Axes of a known wrench.
enum class WrenchAxes {
  sensor,  ///< those of its frame
  world,   ///< z points up; those of the base link if the base is fixed
};

template <>
struct EnumNames<WrenchAxes> {
  static constexpr EnumName<WrenchAxes> kList[] = {{WrenchAxes::sensor, "sensor"},
                                                   {WrenchAxes::world, "world"}};
};

/// A measured wrench of the environment on a link, such as that of the ground on a foot. It is
/// known: it is part of the torque of every channel between the link and the base, and of the six
/// channels of a floating base.
struct WrenchSpec {
  std::string name;
  std::string frame;                 ///< a link, also one that is fixed to another
  std::vector<std::string> columns;  ///< of the log: force [N], or force and torque [N m] about the
                                     ///< frame's origin
  WrenchAxes expressed_in = WrenchAxes::sensor;
  double sign = 1;    ///< 1: wrench acting on the robot; -1: wrench that the robot exerts
  bool bias = false;  ///< unknowns: a constant in each column
  /// [m]: the force acts at the lowest point of a sphere around the frame's origin.
  double radius = 0;
};

/// Shape of a contact without play: the directions in which the environment can push.
enum class ContactType {
  point,  ///< three forces
  line,   ///< three forces, and the two torques that do not turn about the line
  plane,  ///< three forces and three torques
};

template <>
struct EnumNames<ContactType> {
  static constexpr EnumName<ContactType> kList[] = {
      {ContactType::point, "point"}, {ContactType::line, "line"}, {ContactType::plane, "plane"}};
};

/// Direction of a line contact in its frame.
enum class LineAxis { x, y, z };

template <>
struct EnumNames<LineAxis> {
  static constexpr EnumName<LineAxis> kList[] = {
      {LineAxis::x, "x"}, {LineAxis::y, "y"}, {LineAxis::z, "z"}};
};

/// Whether a foot touches the ground.
struct ContactState {
  std::string column;              ///< of the log: 1 (above 0.5) in contact, 0 not
  std::vector<std::string> force;  ///< columns whose norm exceeds the threshold in contact
  double threshold = 0;            ///< in the unit of the columns
  /// Neither: from the residuals of the robot's file, with hysteresis.
  bool is_automatic() const { return column.empty() && force.empty(); }
  bool operator==(const ContactState&) const = default;
};

/// A contact whose wrench is unknown: rows of samples in contact are projected onto the null space
/// of its Jacobian (rows/unknown_wrenches.hpp).
struct ContactSpec {
  std::string frame;  ///< a link, also one that is fixed to another
  ContactType type = ContactType::point;
  LineAxis axis = LineAxis::y;  ///< of a line
  ContactState state = {};
  double widen_s = 0.025;  ///< extends every contact at both ends [s]: a contact that is missed
                           ///< ruins the estimate, a false one costs only information
  double radius = 0;       ///< [m]: a point contact at the lowest point of a sphere
};

/// Forces at contacts that have a measured wrench at the same frame, too.
enum class ContactForces {
  measured,    ///< the wrench is used; contacts without one are projected
  null_space,  ///< all contacts are projected, and the wrench is ignored
};

template <>
struct EnumNames<ContactForces> {
  static constexpr EnumName<ContactForces> kList[] = {{ContactForces::measured, "measured"},
                                                      {ContactForces::null_space, "null_space"}};
};

/// Description of columns, from which make_columns creates those of the robot's joints.
struct ColumnSpec {
  std::string kind;                      ///< a name in ModelOptions::kinds: viscous, coulomb, ..
  std::vector<std::string> joints = {};  ///< empty: every joint
  double tanh_width = 0;  ///< coulomb: tanh(qd / width) [rad/s] or [m/s]; 0: sign(qd)
  std::string name = {};  ///< expression: name of the unknown
  std::string unit = {};  ///< expression: its unit, for a revolute joint
  /// Expression: the factor of the unknown of every joint, in its own q, qd, qdd and load; one
  /// unknown per joint. `rows` is then empty.
  std::string each_joint = {};
  /// Expression: joint -> factor of the unknown in its torque.
  std::map<std::string, std::string> rows = {};
  bool nonnegative = false;         ///< expression: the unknown must not be negative
  double sd = 0;                    ///< gain: its standard deviation before the data, in shares
  int order = 0;                    ///< harmonics: highest multiple of the position
  std::vector<double> widths = {};  ///< dahl, maxwell: of the position [rad] or [m]
};

/// A weighed body on a link in some logs, which fixes the scale of gains.
struct KnownPayload {
  std::vector<std::string> logs;  ///< their names, with or without folders
  std::string link;               ///< link that carries it; its parameters are in the link's frame
  double mass = 0;                ///< [kg]
  Eigen::Vector3d com = Eigen::Vector3d::Zero();  ///< [m]
  /// Ixx, Ixy, Iyy, Ixz, Iyz, Izz about the center of mass [kg m^2].
  Eigen::Matrix<double, 6, 1> inertia = Eigen::Matrix<double, 6, 1>::Zero();
};

/// What the rows of an identification contain: columns, sensors and known torques.
struct ModelOptions {
  std::vector<ColumnSpec> columns = {
      {.kind = "viscous"}, {.kind = "coulomb", .tanh_width = kCoulombWidth}, {.kind = "offset"}};
  /// The kinds that columns may have; the table must outlive the calls that read the options.
  std::span<const ColumnKind> kinds = column_kinds();
  std::vector<SensorSpec> sensors;  ///< six channels each, after those of the robot
  /// Joint -> expression subtracted from its measured torque.
  std::map<std::string, std::string> known_torque;
  /// Inertias behind `load` in expressions, which is the torque that rigid bodies with these
  /// inertias need for the motion: ten numbers per body of the layout, core::Parameter; empty:
  /// those of the robot's file.
  std::vector<double> load_inertia;
  PerJoint torque_gain = 1;  ///< measured torques of joints with a gain are divided by it
  std::vector<KnownPayload> payloads = {};
  std::vector<WrenchSpec> wrenches = {};  ///< known wrenches on links
  BaseSource base = {};                   ///< its frame, and unknowns of its IMU
  std::vector<ContactSpec> contacts = {};
  ContactForces contact_forces = ContactForces::measured;
  /// Noise of every channel [N m or N], by which unknown wrenches are separated from motion; only
  /// ratios matter. Empty: 1 N for forces, and a third of the distance from the base to the
  /// contacts for torques.
  std::vector<double> channel_noise = {};
};

/// The torque of a weighed payload in its logs.
struct PayloadTorque {
  std::vector<std::string> logs;  ///< KnownPayload::logs
  TorqueFunction torque;
};

/// Where samples hold the force of the environment on a link, to draw it.
struct FootSignals {
  std::string name;             ///< of the wrench, or the frame of a contact
  std::string frame;            ///< a link
  std::vector<int> components;  ///< of fx, fy, fz, nx, ny, nz about the frame's origin, in its axes
  int body = 0;
  Eigen::Vector3d point = Eigen::Vector3d::Zero();  ///< the frame's origin in the body
  Eigen::Matrix3d R_body_frame = Eigen::Matrix3d::Identity();
  int first_signal = -1;  ///< measured: signal of the first component, on the robot
  int contact = -1;       ///< not measured: index in UnknownWrenches::contacts
  int level_signal = -1;  ///< of a contact
  ContactState state = {};
  double widen_s = 0;

  bool is_measured() const { return contact < 0; }
};

/// The definition of the rows of an identification.
struct Model {
  PlanPtr plan;                      ///< robot, channels and columns
  DerivedSignals derived;            ///< known torques, and the signals behind columns
  std::vector<double> load_inertia;  ///< ModelOptions::load_inertia in full; empty if no expression
                                     ///< contains a load
  std::vector<PayloadTorque> payloads = {};
  std::vector<FootSignals> feet = {};  ///< of wrenches, then of contacts with unknown forces

  /// Returns the derived signals of a log: loads include its payload, which is subtracted.
  DerivedSignals derived_of(const std::string& log) const;
};

/// Returns the robot's default channels, followed by those of the sensors. Errors: those of
/// sensor_channels; a sensor channel whose name is already in use.
Result<std::vector<Channel>> model_channels(const Robot& robot, const ModelOptions& options);

/// Returns the contacts whose rows are projected, in the order of the options.
std::vector<ContactSpec> projected_contacts(const ModelOptions& options);

/// Returns the pose of BaseSource::frame in the root link of a floating base. Error: a frame that
/// does not exist or moves against the root link; options for a robot with a fixed base.
Result<Eigen::Isometry3d> base_frame_pose(const Robot& robot, const BaseSource& base);

/// Makes the model of a robot with its default channels, those of the sensors and the columns of
/// the options: one column per joint for every kind, except that an expression with rows makes a
/// single column. Equal expressions share a signal. condition_log parses the expressions. Errors
/// name the column or known_torque: a joint that the robot does not have (with near misses), a
/// wrench where a joint is required, a duplicate column; load inertias for a wrong number of
/// bodies; a wrench or contact on a frame that does not exist, or with other invalid options; a
/// frame of the base that is not part of the root link; those of sensor_channels and
/// make_regressor_plan.
Result<Model> make_model(Robot robot, const ModelOptions& options = {});

/// Returns whether `name` denotes the log: its path or name, or the last parts of the path.
bool is_name_of_log(const std::string& name, const std::string& log);

/// Returns the kind of a spec. Error: an unknown kind, which must not pass for a constant offset.
Result<const ColumnKind*> kind_of(const ColumnSpec& spec, std::span<const ColumnKind> kinds);

/// Returns whether errors of the base's IMU are unknowns, in which the rows are linear only at
/// given inertias (ModelOptions::load_inertia).
bool has_imu_unknowns(const Robot& robot, const ModelOptions& options);

/// Returns whether the columns contain a gain.
bool has_gain(const ModelOptions& options);

/// Returns only the columns, in the order of make_model. Errors: those of make_model about columns.
/// Returns only the columns, in the order of make_model: those of the options, then the biases of
/// wrenches, then the unknowns of an IMU. Errors: those of make_model about columns.
Result<std::vector<Column>> make_columns(const Robot& robot, const std::vector<Channel>& channels,
                                         const ModelOptions& options);

/// Shapes of the robot's file that bound the location of a body's mass.
enum class MassBound { none, collision, visual };

template <>
struct EnumNames<MassBound> {
  static constexpr EnumName<MassBound> kList[] = {{MassBound::none, "none"},
                                                  {MassBound::collision, "collision"},
                                                  {MassBound::visual, "visual"}};
};

/// Description of constraints, before the shapes that they depend on are read.
struct ConstraintOptions {
  Consistency consistency = Consistency::full;
  double margin = 1e-6;   ///< Constraints::margin
  double total_mass = 0;  ///< [kg] of all moving bodies together, weighed; 0: unknown
  /// Requires all mass of a body to lie in the smallest ellipsoid around its shapes; bodies without
  /// shapes are not bounded.
  MassBound bounding_ellipsoids = MassBound::none;
  double bounding_margin = 0;  ///< fraction by which the ellipsoids' semi-axes are enlarged
  std::vector<std::string> package_folders;  ///< BoundingOptions::package_folders
};

/// Choices behind a Setup: what the rows contain, the prior of the bodies, and the constraints.
struct SetupOptions {
  ModelOptions model;
  PriorOptions prior;
  ConstraintOptions constraints;
};

/// Everything that is known before data: model, prior and constraints.
struct Setup {
  Model model;
  Prior prior;              ///< of the bodies; columns have only a ridge
  Constraints constraints;  ///< with the ellipsoids of all bodies except those that the prior holds
  MassBound bounded_by = MassBound::none;
  std::optional<BoundingEllipsoids> ellipsoids;  ///< as read; empty if no mass is bounded

  const RegressorPlan& plan() const { return *model.plan; }
};

/// Makes a setup. Errors: those of make_model, make_prior and bounding_ellipsoids (meshes are files
/// named by the robot); ellipsoids without full consistency, which do not bound the location of
/// mass. `progress` is called for each mesh.
Result<Setup> make_setup(Robot robot, const SetupOptions& options = {},
                         const Progress& progress = {});

/// Does the same with an existing model. `known` are ellipsoids that were read before with the same
/// options.
Result<Setup> make_setup(Model model, const PriorOptions& prior,
                         const ConstraintOptions& constraints,
                         std::optional<BoundingEllipsoids> known = {},
                         const Progress& progress = {});

/// Returns the setup with another model of the same robot; prior and constraints, which concern the
/// bodies, stay the same. Errors: those of make_model.
Result<Setup> with_model(const Setup& setup, const ModelOptions& options);

}  // namespace heft
#pragma GCC visibility pop
