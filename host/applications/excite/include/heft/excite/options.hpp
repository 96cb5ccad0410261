// Options of an excitation design: objective, motion, limits, and beliefs about the robot before
// the motion. SI units, joint names as in the robot file. Threads: plain values; concurrent reads
// are safe, a writer needs exclusive access.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "heft/base/enum_names.hpp"
#include "heft/base/result.hpp"
#include "heft/clearance/options.hpp"
#include "heft/executor/executor.hpp"
#include "heft/log/motion_table.hpp"
#include "heft/setup/setup.hpp"

#pragma GCC visibility push(default)
namespace heft {

// Motions of all coordinates given by coefficients of functions of time, with all derivatives.
//
//   q_k(t) = sum_i Phi_i(t) C_ik,     the same Phi for all coordinates
//
//   spline        uniform quintic B-spline whose first and last five control points are equal: at
//                 rest at both ends, with velocity, acceleration and jerk zero [rad, m]
//   fourier       1, sin h w t, cos h w t, h = 1 .. harmonics, w = 2 pi / duration: periodic
//   fourier_rest  the subset of these that is at rest at both ends: sum h a_h = 0,
//                 sum h^2 b_h = 0, sum h^3 a_h = 0
//   poses         the spline whose control points are equal in groups of five or more: from rest to
//                 rest between postures. Only samples at rest carry information

/// The functions of time of a motion; see above.
enum class ExcitationMotion { spline, fourier, fourier_rest, poses };

template <>
struct EnumNames<ExcitationMotion> {
  static constexpr EnumName<ExcitationMotion> kList[] = {
      {ExcitationMotion::spline, "spline"},
      {ExcitationMotion::fourier, "fourier"},
      {ExcitationMotion::fourier_rest, "fourier_rest"},
      {ExcitationMotion::poses, "poses"}};
};

/// The functions Phi of one motion.
struct MotionShape {
  ExcitationMotion kind = ExcitationMotion::spline;
  double duration = 10;  ///< [s], positive
  int intervals = 20;    ///< of a spline, at least 6; for poses a multiple of kPoseIntervals
  int harmonics = 5;     ///< of a Fourier series, at least 2; at least 3 for fourier_rest

  /// For poses: knot intervals from one posture to the next; the robot rests during the last one.
  static constexpr int kPoseIntervals = 6;

  /// Sets the intervals, or for Fourier series the harmonics; 0 selects them by the duration: two
  /// intervals per second, five harmonics.
  void choose(int intervals_or_harmonics);
  int num_coefficients() const;
  bool is_spline() const {
    return kind == ExcitationMotion::spline || kind == ExcitationMotion::poses;
  }
  double interval() const { return duration / intervals; }
  /// Returns whether the motion is at rest at this time for all coefficients.
  bool is_at_rest(double time) const;
};

/// Checks a shape. Errors: invalid intervals, harmonics or duration.
Result<Done> check_shape(const MotionShape& shape);

/// Values of Phi, or of a time derivative, at one time, for coefficients first, first + 1, ..; all
/// others are zero.
struct BasisRow {
  int first = 0;
  std::vector<double> values;
};

/// Returns the derivative of `order` 0 to 5 of Phi; times outside [0, duration] are clamped for
/// splines.
BasisRow basis_row(const MotionShape& shape, double time, int order);

/// A motion of all coordinates, given by coefficients.
struct CoefficientMotion {
  MotionShape shape;
  Eigen::MatrixXd coefficients;  ///< C, num_coefficients x num_coordinates

  int num_coordinates() const { return static_cast<int>(coefficients.cols()); }
  /// Returns the derivative of this order of all coordinates.
  Eigen::VectorXd at(double time, int order) const;
};

/// Objective of the search, a function of the covariance M^-1 of all parameters (FORMULAS 9).
enum class ExcitationObjective {
  d,          ///< log det M: all parameters together
  i,          ///< tr(M^-1 T): mean variance of the torques predicted for a task
  a,          ///< tr(M^-1 M0): mean variance relative to the current one
  e,          ///< the smallest of the eigenvalues that the motion can increase
  condition,  ///< of the base regressor; a poor measure, for comparison only
};

/// How the freely moving base of a robot, or of a file with floating joints, is held.
enum class BaseHold {
  none,   ///< rejected, because no motion can drive it
  hung,   ///< held in the air in the pose of the file's axes
  table,  ///< held on a horizontal table at the height of its lowest collision shape; nothing else
          ///< may touch the table
};

template <>
struct EnumNames<BaseHold> {
  static constexpr EnumName<BaseHold> kList[] = {
      {BaseHold::none, "none"}, {BaseHold::hung, "hung"}, {BaseHold::table, "table"}};
};

template <>
struct EnumNames<ExcitationObjective> {
  static constexpr EnumName<ExcitationObjective> kList[] = {
      {ExcitationObjective::d, "d"},
      {ExcitationObjective::i, "i"},
      {ExcitationObjective::a, "a"},
      {ExcitationObjective::e, "e"},
      {ExcitationObjective::condition, "condition"}};
};

/// A limit for all joints: the value of the robot file (or an assumed one) times a scale, or
/// explicit values.
struct LimitRule {
  double scale = 1;
  std::map<std::string, double> values;                     ///< joint -> limit, before scaling
  std::map<std::string, std::pair<double, double>> ranges;  ///< positions only: joint -> lower,
                                                            ///< upper
};

/// Limits of a sum of joints, for a drive or linkage that couples them.
struct CouplingRule {
  std::string name;
  std::map<std::string, double> of;                   ///< joint -> factor in the sum
  std::optional<std::pair<double, double>> position;  ///< lower, upper
  std::optional<double> velocity, acceleration, jerk;
};

/// All limits of a motion.
struct LimitOptions {
  LimitRule position, velocity, acceleration, jerk, torque;
  std::vector<CouplingRule> couplings;
  /// Margin for the uncertainty of the robot's parameters: |tau| plus this many standard deviations
  /// stays within the limit.
  std::optional<double> torque_deviations;
};

/// Prior knowledge of the robot, and the noise of its torques.
struct BeliefOptions {
  double relative_inertia = 0.5;   ///< standard deviation of a body from its file, in the metric of
                                   ///< FORMULAS 2
  double samples_per_second = 20;  ///< independent samples: r_eff
  double noise_of_effort = 0.01;   ///< residual rms of a channel relative to its effort limit
  std::map<std::string, double> noise;  ///< joint -> residual rms [N m] or [N]
  std::map<std::string, double> viscous, coulomb,
      rotor;  ///< joint -> prior standard deviation
  /// Unknowns in addition to the bodies; expressions may use only q, qd and qdd. Ignored with known
  /// moments, which have their own columns.
  std::vector<ColumnSpec> columns = ModelOptions().columns;
};

/// An excitation task: what to optimize or judge, within which limits, with which beliefs, and the
/// effort of the search.
struct ExciteOptions {
  ExcitationObjective objective = ExcitationObjective::d;
  MotionShape shape;
  LimitOptions limits;
  ClearanceOptions clearance;
  BeliefOptions beliefs;
  double rate_hz = 100;  ///< of the files
  int starts = 8;
  std::uint64_t seed = 0;
  double time_budget_s = 0;  ///< 0: no limit
  double slow_speed = 0;     ///< speed of a slow first run along the same path, relative to the
                             ///< design; 0: no such run
  double mass_share = 0;     ///< extends the motion until every mass is known to this share; 0: no
                             ///< extension
  int threads = 1;
  /// Where motions are evaluated. `automatic` chooses by times measured in the run, so that results
  /// may differ between runs by rounding.
  BackendKind backend = BackendKind::cpu;
  /// Calls task(start, thread) once for every start in [0, count) and returns when all calls have
  /// returned; thread 0 is the calling one. For callers whose threads share several searches;
  /// empty: `threads` threads of this search alone.
  /// Ignored if a device evaluates the starts together.
  std::function<void(std::int64_t count, const std::function<void(std::int64_t, int)>& task)>
      run_starts = {};
  std::map<std::string, double> start;  ///< joint -> position at the beginning and end; empty:
                                        ///< chosen by the search
  /// Task of the robot, for objective i and for expected torque errors: states whose order and
  /// times do not matter; empty: states throughout the limits.
  MotionSamples task;
  /// Motion from which the first start begins, instead of a random one; if it has another shape,
  /// its nearest approximation is used.
  std::optional<CoefficientMotion> from;
  BaseHold base = BaseHold::none;
};

/// Beliefs about all parameters and channels of a plan's layout.
struct Beliefs {
  Eigen::MatrixXd covariance;  ///< of all parameters before the motion
  Eigen::VectorXd parameters;  ///< believed values
  Eigen::VectorXd noise;       ///< residual rms of every channel
  double samples_per_second = 20;
};

}  // namespace heft
#pragma GCC visibility pop
