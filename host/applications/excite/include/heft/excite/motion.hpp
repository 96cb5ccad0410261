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
// Threads: plain values and functions without memory.
#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "heft/base/enum_names.hpp"
#include "heft/base/result.hpp"
#include "heft/log/motion_table.hpp"

#pragma GCC visibility push(default)
namespace heft {

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

}  // namespace heft
#pragma GCC visibility pop
