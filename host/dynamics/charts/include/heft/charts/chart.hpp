// Charts: coordinates of a body's ten parameters in which every point is a physically consistent
// body; for single bodies and for batches. Also converts parameters between the conventions of
// other programs. FORMULAS 4; the math for CPU and GPU is in include/heft/core (log_cholesky.hpp,
// exponential_chart.hpp, manifold_chart.hpp).
//
// A point has num_numbers() numbers: 10, or 11 on the manifold, which uses a quaternion. A step has
// ten. Derivatives are with respect to the step. Threads: safe to call from several threads on
// separate objects; const objects may be shared.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "heft/base/enum_names.hpp"
#include "heft/base/result.hpp"
#include "heft/model/robot.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// Physical consistency of ten parameters.
enum class BodyStatus {
  ok,          ///< the pseudo-inertia is positive definite
  boundary,    ///< the pseudo-inertia is singular within rounding: rods, plates, points, no mass
  impossible,  ///< no mass distribution has these moments
};

template <>
struct EnumNames<BodyStatus> {
  static constexpr EnumName<BodyStatus> kList[] = {{BodyStatus::ok, "ok"},
                                                   {BodyStatus::boundary, "boundary"},
                                                   {BodyStatus::impossible, "impossible"}};
};

/// Classifies a body by its second moments of mass about the center of mass, L_1 <= L_2 <= L_3 [kg
/// m^2]. Their rounding error is 64 eps of the moments about the origin; beyond it, L_1 > 0 means
/// ok and L_1 < 0 impossible. A massless body is on the boundary if its first moments are zero and
/// its second moments are a limit of possible ones; otherwise it is impossible. Parameters that are
/// not finite are impossible.
BodyStatus status_of(const BodyParameters& parameters);

/// Returns the body with the same mass and center whose moments L are raised to 1e-10 of the
/// largest and to m (1 um)^2, just far enough inside for a chart. A body with status ok is returned
/// unchanged. Empty if the body is massless or impossible.
std::optional<BodyParameters> inside(const BodyParameters& parameters);

/// The available charts.
enum class ChartKind : int {
  log_cholesky,          ///< log_cholesky.hpp: (a, d1, d2, d3, s12, s23, s13, t1, t2, t3)
  exponential,           ///< exponential_chart.hpp with L = 1: in SI units
  exponential_at_prior,  ///< the same with the lower Cholesky factor L of a prior
  manifold,              ///< manifold_chart.hpp: (m, c, quaternion w x y z, L)
};

template <>
struct EnumNames<ChartKind> {
  static constexpr EnumName<ChartKind> kList[] = {
      {ChartKind::log_cholesky, "log_cholesky"},
      {ChartKind::exponential, "exponential"},
      {ChartKind::exponential_at_prior, "exponential_at_prior"},
      {ChartKind::manifold, "manifold"}};
};

/// Rows: parameters in the order of core::Parameter; columns: coordinates of the step.
using ChartJacobian = Eigen::Matrix<double, core::kNumParameters, 10>;

/// A body in chart coordinates, and the status of the body it was made from.
struct ChartPoint {
  Eigen::VectorXd numbers;  ///< empty if the body is impossible or massless
  BodyStatus status = BodyStatus::impossible;
};

/// One chart, with conversions in both directions and derivatives.
class BodyChart {
 public:
  /// Makes a chart. `prior` is required for exponential_at_prior and unused otherwise. Error:
  /// `prior` is missing or its pseudo-inertia is not positive definite.
  static Result<BodyChart> make(ChartKind kind, const std::optional<BodyParameters>& prior = {});

  ChartKind kind() const { return kind_; }
  int num_numbers() const { return kind_ == ChartKind::manifold ? 11 : 10; }

  /// Returns the body at a point.
  BodyParameters parameters(const Eigen::VectorXd& point) const;

  /// Returns the point of a body, the inverse of parameters(). A body on the boundary has a point
  /// only on the manifold; on other charts it gets the point of inside().
  ChartPoint point(const BodyParameters& parameters) const;

  /// Returns d pi / d step in closed form.
  ChartJacobian jacobian(const Eigen::VectorXd& point) const;

  /// Returns J'g without forming J: converts a gradient g with respect to the parameters into the
  /// gradient with respect to the step.
  Eigen::Matrix<double, 10, 1> gradient(const Eigen::VectorXd& point,
                                        const BodyParameters& g) const;

  /// Returns the point after a step: the sum; on the manifold R exp([db]x) for the rotation.
  Eigen::VectorXd moved(const Eigen::VectorXd& point,
                        const Eigen::Matrix<double, 10, 1>& step) const;

  // batches: one row per body, one column per number; uses the widest SIMD instructions of the
  // processor. Points that are not finite and bodies that are not possible give numbers that are
  // not finite.
  void parameters(const Eigen::ArrayXXd& points, Eigen::ArrayXXd& parameters) const;
  void points(const Eigen::ArrayXXd& parameters, Eigen::ArrayXXd& points) const;
  void gradients(const Eigen::ArrayXXd& points, const Eigen::ArrayXXd& g,
                 Eigen::ArrayXXd& gradients) const;

  /// Writes one column per body: its 10 x 10 Jacobian, row by row.
  void jacobians(const Eigen::ArrayXXd& points, Eigen::MatrixXd& jacobians) const;

 private:
  BodyChart(ChartKind kind, const Eigen::Matrix<double, 4, 4, Eigen::RowMajor>& factor)
      : kind_(kind), factor_(factor) {}

  ChartKind kind_;
  Eigen::Matrix<double, 4, 4, Eigen::RowMajor> factor_;  // L of J = L exp(X) L'
};

// Conversion of bodies between the conventions of other programs and the charts. The table in
// docs/charts.md gives the order and the reference of each convention.

/// How a program orders the numbers of a body: ten each, in SI units; see ChartKind for the charts.
/// Products of inertia are entries of the tensor in every convention: Ixy is minus the integral of
/// x y.
enum class Convention {
  heft,       ///< m, h, Ixx Ixy Iyy Ixz Iyz Izz about the frame's origin
  pinocchio,  ///< the same: Inertia::toDynamicParameters
  idyntree,   ///< m, h, Ixx Ixy Ixz Iyy Iyz Izz about the origin: SpatialInertia::asVector
  khalil,     ///< XX XY XZ YY YZ ZZ, MX MY MZ, M about the origin: SYMORO
  wensing,    ///< m, h, Ixx Iyy Izz Iyz Ixz Ixy about the origin: spatial_v2_extended,
              ///< inertiaMatToVec
  mujoco,     ///< mass, pos = c, fullinertia Ixx Iyy Izz Ixy Ixz Iyz about the center of mass
  drake,      ///< mass, c, unit inertia (I / m) Gxx Gyy Gzz Gxy Gxz Gyz about the origin:
              ///< SpatialInertia
  urdf,       ///< mass, xyz = c, ixx ixy ixz iyy iyz izz about the center of mass, rpy zero
  sdf,        ///< the same, in a pose element
  matlab,     ///< Mass, CenterOfMass, Inertia Ixx Iyy Izz Iyz Ixz Ixy about the origin: rigidBody
  log_cholesky,
  exponential,
  exponential_at_prior,
  manifold,
};

template <>
struct EnumNames<Convention> {
  static constexpr EnumName<Convention> kList[] = {
      {Convention::heft, "heft"},
      {Convention::pinocchio, "pinocchio"},
      {Convention::idyntree, "idyntree"},
      {Convention::khalil, "khalil"},
      {Convention::wensing, "wensing"},
      {Convention::mujoco, "mujoco"},
      {Convention::drake, "drake"},
      {Convention::urdf, "urdf"},
      {Convention::sdf, "sdf"},
      {Convention::matlab, "matlab"},
      {Convention::log_cholesky, "log_cholesky"},
      {Convention::exponential, "exponential"},
      {Convention::exponential_at_prior, "exponential_at_prior"},
      {Convention::manifold, "manifold"}};
};

/// Returns the chart of a convention; empty if the convention is that of a program.
std::optional<ChartKind> chart_of(Convention convention);

/// Returns the count of numbers per body: 11 for the manifold, otherwise 10.
int num_numbers(Convention convention);

/// The result of convert().
struct ConvertedBody {
  std::vector<double> numbers;  ///< empty if the status does not allow a conversion
  BodyStatus status = BodyStatus::impossible;
  /// 10 x 10, d out / d in, both with respect to the step of a chart or the numbers of a program.
  /// Empty if not requested or where it does not exist: for a massless body, for a body that is not
  /// ok if `to` is a chart, and where the chart's own Jacobian is singular.
  Eigen::MatrixXd jacobian;
};

/// Converts a body from one convention to another. Charts reject impossible bodies; all but the
/// manifold replace a body on the boundary by the nearest one inside. Conventions of programs
/// accept any body and need mass only to compute a center of mass. Errors: wrong count of numbers,
/// numbers that are not finite, a quaternion whose norm differs from 1 by more than 1e-6,
/// coordinates so large that the parameters overflow, a missing or invalid prior (BodyChart::make).
Result<ConvertedBody> convert(Convention from, Convention to, const std::vector<double>& numbers,
                              const std::optional<BodyParameters>& prior = {},
                              bool with_jacobian = false);

}  // namespace heft
#pragma GCC visibility pop
