// Charts: coordinates of a body's ten parameters in which every point is possible, one body or many
// at a time; and the numbers of other programs. FORMULAS 4; the maths is in include/heft/core
// (log_cholesky.hpp, exponential_chart.hpp, manifold_chart.hpp), for CPU and GPU alike.
//
// A point has num_numbers() numbers (10; of the manifold 11, with a quaternion), a step ten.
// Derivatives are by the step. Threads: any number of threads may call, each with objects of its
// own; what is const may be shared.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "heft/base/enum_names.hpp"
#include "heft/base/result.hpp"
#include "heft/model/robot.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// Whether ten numbers are a body.
enum class BodyStatus {
  ok,          ///< the pseudo-inertia is positive definite
  boundary,    ///< it is singular, within rounding: rods, plates, points, no mass
  impossible,  ///< no distribution of mass has these moments
};

template <>
struct EnumNames<BodyStatus> {
  static constexpr EnumName<BodyStatus> kList[] = {{BodyStatus::ok, "ok"},
                                                   {BodyStatus::boundary, "boundary"},
                                                   {BodyStatus::impossible, "impossible"}};
};

/// From the second moments of mass about the center of mass, L_1 <= L_2 <= L_3 [kg m^2], which
/// rounding blurs by 64 eps of those about the origin: beyond that, L_1 > 0 is ok and L_1 < 0
/// impossible. A body without mass is on the boundary if it has no first moments and its second
/// ones are those of a limit, impossible otherwise; so is what is not finite.
BodyStatus status_of(const BodyParameters& parameters);

/// The body with the same mass and center whose moments L are raised to 1e-10 of the largest, and
/// to m (1 um)^2: inside, by as little as a chart needs. Of a body that is ok, itself. Nothing if
/// there is no mass, or if the body is impossible.
std::optional<BodyParameters> inside(const BodyParameters& parameters);

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

/// A row a parameter in the order of core::Parameter, a column a coordinate.
using ChartJacobian = Eigen::Matrix<double, core::kNumParameters, 10>;

struct ChartPoint {
  Eigen::VectorXd numbers;  ///< empty if the status is impossible, or there is no mass to be near
                            ///< to
  BodyStatus status = BodyStatus::impossible;
};

class BodyChart {
 public:
  /// `prior`: of exponential_at_prior alone. Error: it is missing, or its pseudo-inertia is not
  /// positive definite.
  static Result<BodyChart> make(ChartKind kind, const std::optional<BodyParameters>& prior = {});

  ChartKind kind() const { return kind_; }
  int num_numbers() const { return kind_ == ChartKind::manifold ? 11 : 10; }

  BodyParameters parameters(const Eigen::VectorXd& point) const;

  /// The inverse. A body on the boundary has a point on the manifold alone; on other charts it gets
  /// that of inside().
  ChartPoint point(const BodyParameters& parameters) const;

  /// d pi / d step, in closed form.
  ChartJacobian jacobian(const Eigen::VectorXd& point) const;

  /// J'g without J: the gradient by the step of what has the gradient g by the parameters.
  Eigen::Matrix<double, 10, 1> gradient(const Eigen::VectorXd& point,
                                        const BodyParameters& g) const;

  /// The point that is a step away: the sum, and on the manifold R exp([db]x).
  Eigen::VectorXd moved(const Eigen::VectorXd& point,
                        const Eigen::Matrix<double, 10, 1>& step) const;

  // Many bodies at a time: a row a body, a column a number; lanes of the widest instructions of the
  // processor. Nothing is said of points that are not finite, or bodies that are not possible:
  // numbers that are not finite come out.
  void parameters(const Eigen::ArrayXXd& points, Eigen::ArrayXXd& parameters) const;
  void points(const Eigen::ArrayXXd& parameters, Eigen::ArrayXXd& points) const;
  void gradients(const Eigen::ArrayXXd& points, const Eigen::ArrayXXd& g,
                 Eigen::ArrayXXd& gradients) const;

  /// A column a body: its Jacobian, 10 x 10, row by row.
  void jacobians(const Eigen::ArrayXXd& points, Eigen::MatrixXd& jacobians) const;

 private:
  BodyChart(ChartKind kind, const Eigen::Matrix<double, 4, 4, Eigen::RowMajor>& factor)
      : kind_(kind), factor_(factor) {}

  ChartKind kind_;
  Eigen::Matrix<double, 4, 4, Eigen::RowMajor> factor_;  // L of J = L exp(X) L'
};

// Bodies in the numbers of other programs, and from any of these, or a chart, to any other. Each
// convention's order and reference is in the table of docs/charts.md.

/// Ten SI numbers each; of the charts see ChartKind. Products of inertia are entries of the tensor
/// everywhere: Ixy is minus the integral of x y.
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

/// The chart that a convention is; nothing if it is the numbers of a program.
std::optional<ChartKind> chart_of(Convention convention);

/// Numbers of a body: 11 of the manifold, ten of the others.
int num_numbers(Convention convention);

struct ConvertedBody {
  std::vector<double> numbers;  ///< empty if there are none, see status
  BodyStatus status = BodyStatus::impossible;
  /// 10 x 10, d out / d in, where both are steps of a chart or numbers of a program; empty if not
  /// asked for, and where it does not exist: at a body that is not ok if `to` is a chart, where the
  /// chart's own Jacobian is singular, without mass.
  Eigen::MatrixXd jacobian;
};

/// A body in other numbers. A chart takes no impossible body, and but for the manifold, of one on
/// the boundary the nearest inside; the numbers of programs pass on what they get, and need mass
/// only to tell a center of mass. Errors: numbers that are too many, too few or not finite; a
/// quaternion that is not of unit length to 1e-6; coordinates so large that the body's numbers
/// overflow; a prior that is missing or no prior (BodyChart::make).
Result<ConvertedBody> convert(Convention from, Convention to, const std::vector<double>& numbers,
                              const std::optional<BodyParameters>& prior = {},
                              bool with_jacobian = false);

}  // namespace heft
#pragma GCC visibility pop
