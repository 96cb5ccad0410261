// Structural identifiability: which inertial parameters a robot's motion can ever reveal, before
// any data.
//
// The Recursive Parameter Nullspace Algorithm (FORMULAS 5; [Wensing, Niemeyer, Slotine 2024]) walks
// outward over the joints and finds, at each, the inertia that can move from a body to its parent
// without any measurement noticing. Measured are all joint torques, and the wrench on a base that
// moves. Threads: any number of threads may call, each with objects of its own; what is const may
// be shared.
#pragma once

#include <string>
#include <vector>

#include "heft/base/enum_names.hpp"
#include "heft/base/result.hpp"
#include "heft/model/robot.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// How the frame moves that carries the robot's first bodies.
enum class BaseMotion {
  as_modeled,  ///< fixed, or free with its root link counted as a body (Robot::floating_base)
  uncounted,   ///< free, wrench measured, its own inertia unknown and not counted: a limb on a
               ///< moving trunk
};

struct ObserveOptions {
  BaseMotion base = BaseMotion::as_modeled;
  bool gravity = true;  ///< false: as in orbit, or with gravity along an axis that nothing feels
  bool static_only = false;      ///< robot at rest in many postures: only gravity speaks
  bool dimensions_only = false;  ///< only counts and dimensions, O(number of bodies): no bases, no
                                 ///< channels
  bool channels = true;          ///< also what each channel alone reveals
  /// Directions smaller than this, with lengths in units of the robot's own, are none.
  double tolerance = 1e-9;
  /// Axes this close to a coordinate direction of the parent are taken to be aligned [rad]: a URDF
  /// that writes 1.5708 means a right angle. 0 takes every angle literally.
  double alignment = 1e-5;
  /// Screws that are measured beside the robot's own channels, as of force-torque sensors. With
  /// any, random rows decide.
  std::vector<Channel> sensors = {};
};

enum class Visibility {
  unidentifiable,  ///< no measurement depends on it
  in_combination,  ///< only together with others
  alone,
};

template <>
struct EnumNames<Visibility> {
  static constexpr EnumName<Visibility> kList[] = {{Visibility::unidentifiable, "unidentifiable"},
                                                   {Visibility::in_combination, "in_combination"},
                                                   {Visibility::alone, "alone"}};
};

/// One inertial parameter: one of the ten of core::Parameter, or, for a body that is rotationally
/// symmetric about its axis a, one of m, mc_axial, I_perp and I_axial:
///   h = mc_axial a
///   I = I_perp (1 - aa') + I_axial aa'
struct ObservedParameter {
  int body = -1;             ///< index into Robot::bodies
  std::string name;          ///< e.g. "Izz"
  std::string label;         ///< with its body: "Izz_forearm"
  std::string unit;          ///< e.g. "kg m^2"
  BodyParameters direction;  ///< what one unit of it adds to the body's ten parameters
  Visibility visibility = Visibility::unidentifiable;
};

/// A weighted sum of parameters, sorted by parameter; coefficients in SI units.
struct Term {
  int parameter = 0;  ///< index into Observability::parameters
  double coefficient = 0;
};
using Combination = std::vector<Term>;

/// What happens at one joint, with the rotors and mimic joints that share its coordinate. Joints
/// between a joint and a mimic joint further out that follows it count with them.
struct JointDimensions {
  std::string joint;        ///< the joint of bodies[0]; empty for the root of a floating base
  std::vector<int> bodies;  ///< indices into Robot::bodies, rotors last
  int dim_V = 0;            ///< attainable velocities of bodies[0], gravity counted as one
  int dim_K = 0;     ///< combinations of bodies[0] that would show if all other inertias were known
  int dim_T = 0;     ///< undetectable transfers of inertia to the parent
  int num_base = 0;  ///< base parameters that the joint contributes
};

/// What one channel alone reveals.
struct ChannelObservability {
  std::string channel;                    ///< Channel::name
  std::vector<Combination> identifiable;  ///< as Observability::identifiable
  std::vector<Visibility> visibility;     ///< one per parameter
};

/// Two axes that nothing tells apart but a small angle. Whether it is meant decides what can be
/// identified.
struct NearlyParallel {
  std::string joint;                 ///< whose axis it is
  std::string other;                 ///< the joint whose axis is nearly parallel, or "gravity"
  double angle = 0;                  ///< between them [rad]
  int num_base_if_parallel = 0;      ///< base parameters
  int num_base_if_not_parallel = 0;  ///< base parameters
};

struct Observability {
  std::string robot;
  std::vector<std::string> bodies;            ///< names, as Robot::bodies
  std::vector<ObservedParameter> parameters;  ///< P, in the order of the bodies
  /// In the order of their first bodies; empty with sensors.
  std::vector<JointDimensions> joints;
  int num_base = 0;                 ///< base parameters
  int num_base_without_rotors = 0;  ///< the same count if all rotors were massless
  /// The exact count. It differs from num_base where small angles between axes leave directions
  /// below the tolerance.
  int num_base_exact = 0;
  std::vector<NearlyParallel> nearly_parallel;  ///< axes whose two counts differ; each looked at
                                                ///< alone

  /// num_base combinations that can be identified, in reduced row echelon form. The first parameter
  /// of each, with coefficient 1, is the base parameter that stands for the combination; no other
  /// combination contains it.
  std::vector<Combination> identifiable;
  /// P - num_base changes of the parameters that no measurement notices, one per parameter that is
  /// not a base parameter: that one by +1, base parameters by what makes up for it.
  std::vector<Combination> null_basis;
  std::vector<ChannelObservability> channels;

  int num_parameters() const { return static_cast<int>(parameters.size()); }

  /// The base parameters: any motion's torques are reproduced with all others zero and x_base = R
  /// x, where R is base_matrix().
  std::vector<int> base_parameters() const;

  /// num_base x P: base parameters from all parameters, also a basis of the complement of the null
  /// space.
  Eigen::MatrixXd base_matrix() const;

  /// P x (P - num_base): null_basis as columns.
  Eigen::MatrixXd null_matrix() const;

  /// "Izz_upper + Iyy_fore + 0.2 m_fore"
  std::string text(const Combination& combination) const;
};

/// Analyzes a robot. Exact for trees of revolute, prismatic and helical joints, for rotors carried
/// by any link inward of the joint that drives them, for mimic joints on one link, and for joints
/// with several degrees of freedom as chains through bodies without parameters. Where a mimic joint
/// is outward of the joint that it follows, or on another branch, spans are taken over random
/// positions (right with probability one). `progress` hears of channel after channel. Errors: no
/// body, or more than 700 parameters with combinations, no parameter, a tolerance that is not
/// positive, an alignment below zero, a mirror image or a number that is not finite in a pose, an
/// axis that is not a unit vector; a geometry so close to a special arrangement that two ways to
/// count disagree; a sensor on a body that the robot does not have; stopped().
Result<Observability> observe(const Robot& robot, const ObserveOptions& options = {},
                              const Progress& progress = {});

/// The terminal report: a table with one row per body and a filled, half or open circle per
/// parameter, then the dimensions, the combinations, and what each channel alone reveals.
std::string format_observability(const Observability& observability);

/// Writes the answer as a JSON file (keys in host/dynamics/observe/shared/observe/json.hpp), whole
/// or not at all.
Result<Done> write_observability(const Observability& observability, const std::string& path);

}  // namespace heft
#pragma GCC visibility pop
