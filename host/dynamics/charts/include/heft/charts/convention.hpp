// Bodies in the numbers of other programs, and from any of these, or a chart, to any other. Each
// convention's order and reference is in the table of docs/charts.md. Threads: functions without
// memory: any number of threads may call them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "heft/charts/chart.hpp"

#pragma GCC visibility push(default)
namespace heft {

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
