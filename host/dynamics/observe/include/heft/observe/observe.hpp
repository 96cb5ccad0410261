// Structural identifiability: the inertial parameters that motion of a robot can identify, before
// any data.
//
// The Recursive Parameter Nullspace Algorithm (FORMULAS 5; [Wensing, Niemeyer, Slotine 2024])
// visits the joints from the base outward and finds for each one the inertia that can be
// transferred from a body to its parent without changing any measurement. Measured are all joint
// torques and, on a moving base, its wrench. Threads: safe to call from several threads on separate
// objects; const objects may be shared.
#pragma once

#include <string>
#include <vector>

#include "heft/base/enum_names.hpp"
#include "heft/base/result.hpp"
#include "heft/model/robot.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// Motion of the frame that carries the robot's first bodies.
enum class BaseMotion {
  as_modeled,  ///< fixed, or free with its root link as a body (Robot::floating_base)
  uncounted,   ///< free with a measured wrench, but its own inertia is unknown and not counted: a
               ///< limb on a moving trunk
};

/// Assumptions and extent of the analysis.
struct ObserveOptions {
  BaseMotion base = BaseMotion::as_modeled;
  bool gravity = true;  ///< false: as in orbit, or with gravity along an axis that no measurement
                        ///< senses
  bool static_only = false;      ///< robot at rest in many postures: only gravity contributes
  bool dimensions_only = false;  ///< only counts and dimensions, in O(number of bodies); no bases
                                 ///< and no channels
  bool channels = true;          ///< also analyzes each channel alone
  /// Directions below this size count as zero, with lengths in units of the robot's own.
  double tolerance = 1e-9;
  /// Axes this close to a coordinate direction of the parent count as aligned [rad], because 1.5708
  /// in a URDF means a right angle. 0 takes every angle literally.
  double alignment = 1e-5;
  /// Screws measured in addition to the robot's own channels, for example of force-torque sensors.
  /// If there are any, random rows determine the result.
  std::vector<Channel> sensors = {};
};

/// How a parameter appears in the measurements.
enum class Visibility {
  unidentifiable,  ///< no measurement depends on it
  in_combination,  ///< only in combination with others
  alone,
};

template <>
struct EnumNames<Visibility> {
  static constexpr EnumName<Visibility> kList[] = {{Visibility::unidentifiable, "unidentifiable"},
                                                   {Visibility::in_combination, "in_combination"},
                                                   {Visibility::alone, "alone"}};
};

/// One inertial parameter: one of the ten of core::Parameter; for a body that is rotationally
/// symmetric about its axis a, one of m, mc_axial, I_perp and I_axial:
///   h = mc_axial a
///   I = I_perp (1 - aa') + I_axial aa'
struct ObservedParameter {
  int body = -1;             ///< index into Robot::bodies
  std::string name;          ///< e.g. "Izz"
  std::string label;         ///< name with body: "Izz_forearm"
  std::string unit;          ///< e.g. "kg m^2"
  BodyParameters direction;  ///< change of the body's ten parameters per unit of this one
  Visibility visibility = Visibility::unidentifiable;
};

/// One summand of a Combination; coefficient in SI units.
struct Term {
  int parameter = 0;  ///< index into Observability::parameters
  double coefficient = 0;
};
/// A weighted sum of parameters, sorted by parameter.
using Combination = std::vector<Term>;

/// Dimensions at one joint, together with the rotors and mimic joints that share its coordinate.
/// Joints between a joint and a mimic joint further outward that follows it are counted with them.
struct JointDimensions {
  std::string joint;        ///< the joint of bodies[0]; empty for the root of a floating base
  std::vector<int> bodies;  ///< indices into Robot::bodies, rotors last
  int dim_V = 0;            ///< attainable velocities of bodies[0]; gravity counts as one
  int dim_K = 0;     ///< combinations of bodies[0] that would be identifiable if all other inertias
                     ///< were known
  int dim_T = 0;     ///< transfers of inertia to the parent that no measurement detects
  int num_base = 0;  ///< base parameters that the joint adds
};

/// The parameters that one channel alone identifies.
struct ChannelObservability {
  std::string channel;                    ///< Channel::name
  std::vector<Combination> identifiable;  ///< like Observability::identifiable
  std::vector<Visibility> visibility;     ///< one per parameter
};

/// Two axes that differ only by a small angle. Whether that angle is intended changes what can be
/// identified.
struct NearlyParallel {
  std::string joint;                 ///< whose axis it is
  std::string other;                 ///< the joint whose axis is nearly parallel, or "gravity"
  double angle = 0;                  ///< between them [rad]
  int num_base_if_parallel = 0;      ///< base parameters
  int num_base_if_not_parallel = 0;  ///< base parameters
};

/// The result of observe().
struct Observability {
  std::string robot;
  std::vector<std::string> bodies;            ///< names, as Robot::bodies
  std::vector<ObservedParameter> parameters;  ///< P, in the order of the bodies
  /// One entry per joint, in the order of their first bodies; empty with sensors.
  std::vector<JointDimensions> joints;
  int num_base = 0;                 ///< base parameters
  int num_base_without_rotors = 0;  ///< the count of base parameters if all rotors were massless
  /// The count in exact arithmetic. It differs from num_base where small angles between axes leave
  /// directions below the tolerance.
  int num_base_exact = 0;
  std::vector<NearlyParallel> nearly_parallel;  ///< axes whose two counts differ; each examined
                                                ///< alone

  /// num_base identifiable combinations in reduced row echelon form. The first parameter of each,
  /// with coefficient 1, is the base parameter that represents the combination; no other
  /// combination contains it.
  std::vector<Combination> identifiable;
  /// P - num_base changes of the parameters that no measurement detects, one per parameter that is
  /// not a base parameter: that parameter changes by +1 and base parameters compensate.
  std::vector<Combination> null_basis;
  std::vector<ChannelObservability> channels;

  int num_parameters() const { return static_cast<int>(parameters.size()); }

  /// Returns the indices of the base parameters. They reproduce the torques of any motion with all
  /// other parameters zero and x_base = R x, where R is base_matrix().
  std::vector<int> base_parameters() const;

  /// Returns the num_base x P matrix that maps all parameters to the base parameters; also a basis
  /// of the complement of the null space.
  Eigen::MatrixXd base_matrix() const;

  /// Returns null_basis as columns, P x (P - num_base).
  Eigen::MatrixXd null_matrix() const;

  /// Returns a combination as text: "Izz_upper + Iyy_fore + 0.2 m_fore".
  std::string text(const Combination& combination) const;
};

/// Analyzes the identifiability of a robot's parameters. Exact for trees of revolute, prismatic and
/// helical joints, for rotors carried by any link inward of the joint that drives them, for mimic
/// joints on one link, and for joints with several degrees of freedom modeled as chains through
/// bodies without parameters. If a mimic joint is outward of the joint that it follows, or on
/// another branch, spans are computed from random positions (correct with probability one).
/// `progress` is called for each channel. Errors: no body; more than 700 parameters with
/// combinations; no parameter; a tolerance that is not positive; a negative alignment; a pose that
/// contains a reflection or a number that is not finite; an axis that is not a unit vector; a
/// geometry so close to a special arrangement that two counting methods disagree; a sensor on a
/// body that the robot does not have; stopped().
Result<Observability> observe(const Robot& robot, const ObserveOptions& options = {},
                              const Progress& progress = {});

/// Returns the terminal report: a table with one row per body and a filled, half or open circle per
/// parameter, then the dimensions, the combinations, and the parameters that each channel alone
/// identifies.
std::string format_observability(const Observability& observability);

/// Writes the result as a JSON file (keys in host/dynamics/observe/shared/observe/json.hpp),
/// completely or not at all.
Result<Done> write_observability(const Observability& observability, const std::string& path);

}  // namespace heft
#pragma GCC visibility pop
