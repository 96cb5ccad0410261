// All that identification is told before it sees data: what the rows are, what is believed of the
// bodies, and what every answer must obey. Made once, at the edge, from short descriptions by a
// configuration file or by a program; everything inside takes it, or parts of it. Threads: any
// number of threads may call, each with objects of its own; what is const may be shared. A Model
// may be shared: its load is safe to call from several threads, one call at a time each.
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

/// A force-torque sensor on any link: six screws on the link that it carries, with what makes
/// newtons of its numbers.
///
/// What stands in the log is raw; the wrench that carries the link is sign (scale raw - offset),
/// force [N] and torque [N m], in the axes of the sensor and about its origin. FORMULAS 1.
struct SensorSpec {
  std::string name;  ///< its channels are `name`_fx, _fy, _fz, _nx, _ny, _nz
  /// It feels this link and everything outward of it. A link that is fixed to its carrier must have
  /// been kept apart: RobotOptions::separate_links.
  std::string link;
  /// Pose of the sensor in the link: x, y, z [m], roll, pitch, yaw [rad], which turn it by Rz Ry
  /// Rx, as in URDF.
  Eigen::Matrix<double, 6, 1> pose = Eigen::Matrix<double, 6, 1>::Zero();
  double sign = 1;  ///< 1: shows the wrench that carries the link; -1: the one that the link puts
                    ///< on its carrier
  double force_scale = 1;   ///< [N] per unit of the log
  double torque_scale = 1;  ///< [N m] per unit of the log
  /// A bias that is known: force [N] and torque [N m] shown without load, before the sign.
  Eigen::Matrix<double, 6, 1> offset = Eigen::Matrix<double, 6, 1>::Zero();
};

/// The channels of sensors, six each in the order of the names above. Errors name the sensor:
/// without a name, or two of one; a link that is no body of the robot, or the root of a floating
/// base, whose wrench has channels already; a sign that is not 1 or -1; a scale of zero; numbers
/// that are not finite.
Result<std::vector<Channel>> sensor_channels(const Robot& robot,
                                             const std::vector<SensorSpec>& sensors);

/// Columns to be, before they are spelled out for the robot's joints.
struct ColumnSpec {
  std::string kind;                      ///< a name in ModelOptions::kinds: viscous, coulomb, ..
  std::vector<std::string> joints = {};  ///< empty: every joint
  double tanh_width = 0;  ///< coulomb: tanh(qd / width) [rad/s] or [m/s]; 0: sign(qd)
  std::string name = {};  ///< expression: name of the unknown
  std::string unit = {};  ///< expression: its unit, at a joint that turns
  /// Expression: what multiplies the unknown of every joint, in its own q, qd, qdd and load; one
  /// unknown a joint. Then there are no rows.
  std::string each_joint = {};
  /// Expression: joint -> what multiplies the unknown in its torque.
  std::map<std::string, std::string> rows = {};
  bool nonnegative = false;  ///< expression: the unknown must not be negative
};

struct ModelOptions {
  std::vector<ColumnSpec> columns = {
      {.kind = "viscous"}, {.kind = "coulomb", .tanh_width = kCoulombWidth}, {.kind = "offset"}};
  /// The kinds that columns may have; the table must outlive the calls that read the options.
  std::span<const ColumnKind> kinds = column_kinds();
  std::vector<SensorSpec> sensors;  ///< six channels each, after the robot's own
  /// Joint -> expression to subtract from its measured torque.
  std::map<std::string, std::string> known_torque;
  /// What expressions call load is the torque that rigid bodies of these inertias need for the
  /// motion: ten numbers a body of the layout, core::Parameter; empty: those of the robot's file.
  std::vector<double> load_inertia;
};

/// What the rows of an identification are.
struct Model {
  PlanPtr plan;                      ///< robot, channels and columns
  DerivedSignals derived;            ///< known torques, and the signals behind columns
  std::vector<double> load_inertia;  ///< ModelOptions::load_inertia spelled out; empty if no
                                     ///< expression holds a load
};

/// The robot's default channels, then those of the sensors. Errors: those of sensor_channels; a
/// sensor whose channel has the name of another.
Result<std::vector<Channel>> model_channels(const Robot& robot, const ModelOptions& options);

/// A robot with its default channels, those of the sensors and the columns of the options: one
/// column per joint of every kind but expressions with rows, which make one column each. Equal
/// expressions share a signal. Expressions are parsed later, by condition_log. Errors name the
/// column or known_torque: a joint that the robot does not have (with near misses), a wrench where
/// a joint is needed, the same column twice; load inertias of another number of bodies; those of
/// sensor_channels and make_regressor_plan.
Result<Model> make_model(Robot robot, const ModelOptions& options = {});

/// The columns alone, in the order in which make_model lays them out. Errors as there.
Result<std::vector<Column>> make_columns(const Robot& robot, const std::vector<Channel>& channels,
                                         const ModelOptions& options);

/// Shapes of the robot's file by which the mass of a body is bounded.
enum class MassBound { none, collision, visual };

template <>
struct EnumNames<MassBound> {
  static constexpr EnumName<MassBound> kList[] = {{MassBound::none, "none"},
                                                  {MassBound::collision, "collision"},
                                                  {MassBound::visual, "visual"}};
};

/// Constraints as they are asked for, before the shapes behind them have been read.
struct ConstraintOptions {
  Consistency consistency = Consistency::full;
  double margin = 1e-6;   ///< Constraints::margin
  double total_mass = 0;  ///< [kg] of all moving bodies together, from a scale; 0: not known
  /// All mass of a body lies in the least ellipsoid around its shapes; bodies without shapes are
  /// not bounded.
  MassBound bounding_ellipsoids = MassBound::none;
  double bounding_margin = 0;  ///< share by which the ellipsoids' semi-axes are longer than that
  std::vector<std::string> package_folders;  ///< BoundingOptions::package_folders
};

struct SetupOptions {
  ModelOptions model;
  PriorOptions prior;
  ConstraintOptions constraints;
};

struct Setup {
  Model model;
  Prior prior;              ///< of the bodies; columns have no more of it than a ridge
  Constraints constraints;  ///< with the ellipsoids of all bodies but those that the prior holds
  MassBound bounded_by = MassBound::none;
  std::optional<BoundingEllipsoids> ellipsoids;  ///< that were read; none if no mass is bounded

  const RegressorPlan& plan() const { return *model.plan; }
};

/// Errors: those of make_model and make_prior; of bounding_ellipsoids, of whose meshes the robot
/// names the files; ellipsoids without full consistency, which say nothing about where mass is.
/// `progress` hears of meshes that are read.
Result<Setup> make_setup(Robot robot, const SetupOptions& options = {},
                         const Progress& progress = {});

/// The same of a model that is there. `known`: ellipsoids that were read before, by the same
/// options. Errors as above.
Result<Setup> make_setup(Model model, const PriorOptions& prior,
                         const ConstraintOptions& constraints,
                         std::optional<BoundingEllipsoids> known = {},
                         const Progress& progress = {});

/// The setup with another model of the same robot: beliefs and constraints are of its bodies and
/// stay. Errors: those of make_model.
Result<Setup> with_model(const Setup& setup, const ModelOptions& options);

}  // namespace heft
#pragma GCC visibility pop
