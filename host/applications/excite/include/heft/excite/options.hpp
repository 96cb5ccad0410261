// What a design is told: objective, motion, limits, what is believed of the robot before. SI units,
// names of joints as in the robot file. Threads: plain values and functions without memory: share
// values for reading; a thread that changes one must own it.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "heft/base/enum_names.hpp"
#include "heft/base/result.hpp"
#include "heft/clearance/options.hpp"
#include "heft/log/motion_table.hpp"
#include "heft/setup/setup.hpp"

#pragma GCC visibility push(default)
namespace heft {

// A motion to record, of all coordinates, as a few numbers: coefficients times functions of time,
// with all derivatives.
//
//   q_k(t) = sum_i Phi_i(t) C_ik,     Phi of a coordinate the same for all
//
//   spline        uniform quintic B-spline whose first and last five control points are equal: at
//                 rest at both ends, with
//                 velocity, acceleration and jerk zero [rad, m]
//   fourier       1, sin h w t, cos h w t, h = 1 .. harmonics, w = 2 pi / duration: periodic
//   fourier_rest  of those, what is at rest at both ends: sum h a_h = 0, sum h^2 b_h = 0,
//                 sum h^3 a_h = 0
//   poses         the spline whose control points are equal five and more at a time: from rest to
//                 rest between postures.
//                 Only what is recorded at rest tells anything

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
  int intervals = 20;    ///< of a spline, at least 6; of poses, a multiple of kPoseIntervals
  int harmonics = 5;     ///< of Fourier series, at least 2; at rest at least 3

  /// Of poses: knot intervals from one posture to the next, of which the last is spent at rest.
  static constexpr int kPoseIntervals = 6;

  /// Sets intervals, or of Fourier series harmonics; 0 chooses what suits the duration: two
  /// intervals a second, five harmonics.
  void choose(int intervals_or_harmonics);
  int num_coefficients() const;
  bool is_spline() const {
    return kind == ExcitationMotion::spline || kind == ExcitationMotion::poses;
  }
  double interval() const { return duration / intervals; }
  /// Whether nothing moves at this time, whatever the coefficients are.
  bool is_at_rest(double time) const;
};

/// Errors: intervals or harmonics that make no motion; a duration that is none.
Result<Done> check_shape(const MotionShape& shape);

/// Values of Phi, or of a derivative by time, at one time: those of coefficients first, first + 1,
/// ..; others are zero.
struct BasisRow {
  int first = 0;
  std::vector<double> values;
};

/// `order` 0 to 5; times outside of [0, duration] count to the ends of splines.
BasisRow basis_row(const MotionShape& shape, double time, int order);

struct CoefficientMotion {
  MotionShape shape;
  Eigen::MatrixXd coefficients;  ///< C, num_coefficients x num_coordinates

  int num_coordinates() const { return static_cast<int>(coefficients.cols()); }
  /// The derivative of that order of all coordinates.
  Eigen::VectorXd at(double time, int order) const;
};

/// What is optimized, of the covariance M^-1 of all parameters (FORMULAS 9).
enum class ExcitationObjective {
  d,          ///< log det M: all parameters together
  i,          ///< tr(M^-1 T): mean variance of the torques predicted for a task
  a,          ///< tr(M^-1 M0): mean variance against what it is now
  e,          ///< the least of the eigenvalues that the motion can raise
  condition,  ///< of the base regressor; tells little, and is there for comparison
};

/// What becomes of a base that moves freely: a robot read so, or a file with floating joints.
enum class BaseHold {
  none,   ///< it is refused: no motion can drive it
  hung,   ///< held in the air where the file's axes are
  table,  ///< held on a level table, as high as the lowest of its collision shapes, that nothing
          ///< else may meet
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

/// A limit of all joints: what the robot file says (or what is assumed) times a scale, or values.
struct LimitRule {
  double scale = 1;
  std::map<std::string, double> values;                     ///< joint -> limit, before the scale
  std::map<std::string, std::pair<double, double>> ranges;  ///< of positions: joint -> lower, upper
};

/// Limits of a sum of joints, which a drive or a linkage between them has.
struct CouplingRule {
  std::string name;
  std::map<std::string, double> of;                   ///< joint -> its factor in the sum
  std::optional<std::pair<double, double>> position;  ///< lower, upper
  std::optional<double> velocity, acceleration, jerk;
};

struct LimitOptions {
  LimitRule position, velocity, acceleration, jerk, torque;
  std::vector<CouplingRule> couplings;
  /// The torque of a robot that is unlike its file: |tau| plus so many standard deviations stays
  /// within the limit.
  std::optional<double> torque_deviations;
};

/// What is believed of the robot, and how noisy its torques are.
struct BeliefOptions {
  double relative_inertia = 0.5;   ///< standard deviation of a body against its file, in the metric
                                   ///< of FORMULAS 2
  double samples_per_second = 20;  ///< independent ones: r_eff
  double noise_of_effort = 0.01;   ///< residual rms of a channel against its effort limit
  std::map<std::string, double> noise;  ///< joint -> residual rms [N m] or [N]
  std::map<std::string, double> viscous, coulomb,
      rotor;  ///< joint -> standard deviation of what is believed
  /// Beyond the bodies; of expressions those in q, qd and qdd alone. Moments that are known have
  /// columns of their own.
  std::vector<ColumnSpec> columns = ModelOptions().columns;
};

struct ExciteOptions {
  ExcitationObjective objective = ExcitationObjective::d;
  MotionShape shape;
  LimitOptions limits;
  ClearanceOptions clearance;
  BeliefOptions beliefs;
  double rate_hz = 100;  ///< of the files
  int starts = 8;
  std::uint64_t seed = 0;
  double time_budget_s = 0;  ///< 0: none
  double slow_speed = 0;  ///< of a slow first run along the same path, against that of the design;
                          ///< 0: none
  double mass_share = 0;  ///< the motion is made longer until every mass is known to this share; 0:
                          ///< it is not
  int threads = 1;
  std::map<std::string, double> start;  ///< joint -> where the motion begins and ends; empty:
                                        ///< wherever is best
  /// What the robot will do, of objective i and of expected errors of torques: states, whose order
  /// and times do not matter; empty: states all over the limits.
  MotionSamples task;
  /// The first start begins from this motion instead of a random one; of another shape: from what
  /// is nearest to it.
  std::optional<CoefficientMotion> from;
  BaseHold base = BaseHold::none;
};

/// Beliefs spelled out for a plan. Covariances and noise are of the parameters and channels of its
/// layout.
struct Beliefs {
  Eigen::MatrixXd covariance;  ///< of all parameters, before the motion
  Eigen::VectorXd parameters;  ///< what is believed
  Eigen::VectorXd noise;       ///< residual rms of every channel
  double samples_per_second = 20;
};

}  // namespace heft
#pragma GCC visibility pop
