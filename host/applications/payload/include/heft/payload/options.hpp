// Options for weighing a payload: conventions of the sensor, prior knowledge and methods. Threads:
// plain values; concurrent reads are safe, a writer needs exclusive access.
#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "heft/base/enum_names.hpp"
#include "heft/base/result.hpp"
#include "heft/model/robot.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// A tool on the sensor in addition to the payload, and the sensor's reading without load, both
/// determined by an earlier run.
struct KnownTool {
  BodyParameters parameters = BodyParameters::Zero();  ///< in the sensor's frame, or in the link's
                                                       ///< frame for joint torques; zero: only
                                                       ///< offsets
  /// Link in whose frame it was calibrated by joint torques; empty: calibrated by a sensor, or
  /// given.
  std::string link = {};
  Eigen::Matrix<double, 6, 1> bias = Eigen::Matrix<double, 6, 1>::Zero();  ///< [N], [N m]
  bool has_bias = false;
  /// Covariance of the errors of m, h (four) and bias (six), in their units.
  Eigen::Matrix<double, 10, 10> covariance = Eigen::Matrix<double, 10, 10>::Zero();
};

/// Known limits of a payload in addition to physical consistency, which the estimate satisfies
/// exactly. Supported by auto, geo, cone and metric, with their certificates; other methods reject
/// them.
struct PayloadLimits {
  double known_mass = 0;  ///< [kg]; 0: unknown
  /// [kg/m^3] of the material in the shape: bounds of mass over volume.
  double least_density = 0, largest_density = std::numeric_limits<double>::infinity();
  std::optional<Eigen::AlignedBox3d> com_region;  ///< in the sensor's frame [m]: contains the
                                                  ///< center of mass
  bool within_shape = false;  ///< all mass lies in the smallest ellipsoid around the shape

  /// Returns whether the density is bounded.
  bool has_density() const { return least_density > 0 || std::isfinite(largest_density); }
};

/// Frame of the logged wrench.
enum class WrenchFrame {
  sensor,
  base,         ///< base axes, torque about the sensor's origin
  base_origin,  ///< base axes, torque about the base's origin
};

/// Direction of a logged orientation (r11..r33 or a quaternion).
enum class OrientationKind {
  sensor_to_world,  ///< maps vectors from sensor axes to world axes; the usual convention of poses
  world_to_sensor,  ///< the transpose
};

/// Contents of four columns named x, y, z and w.
enum class QuaternionOrder { xyzw, wxyz };

/// Model of the sensor's unknown offsets: none, six per log, six per segment (between gaps), or six
/// polynomials in time per log.
enum class BiasKind { none, constant, per_segment, drift };

/// Methods that weigh a payload (FORMULAS 8). Sums run over all samples, with residuals e; s_c is
/// the rms residual of channel c after four passes of weighted least squares; J0 = L L' is the
/// prior's pseudo-inertia.
///
///   ols       min sum_c |e_c|^2
///   wls       min sum_c |e_c|^2 / s_c^2
///   tls       smallest right singular vector of [Y w]: noise of one size in every entry
///   geo       min sum_c |e_c|^2 + gamma (tr(J0^-1 J) - log det J)
///             gamma = 1e-5 tr(Y'Y) unless given
///   pullback  min sum_c |e_c|^2 + gamma |L^-1 J L^-T - 1|_F^2
///             the metric prior, unweighted and without J >= 0
///   cone      min sum_c |e_c|^2 / s_c^2                                    J >= 0
///   metric    min 1/N sum_c |e_c|^2 / s_c^2 + w |L^-1 J L^-T - 1|_F^2
///             J >= 0, w = max(1e-2, 600 / N) unless given
///   manifold  the same on the chart m, c, R, L without constraints [T16]: a second opinion, which
///             does not reach the boundary
///   auto      metric twice, on rows and wrench after the same low-pass: with w = 1e-2, and again
///             about the shape's tensor carried to the mass and center of mass of the first fit,
///             with a weight that depends on how well the shape is known
///   pmd       min |(1 - o)(A0 mu - b)| + |o (A mu - b)| + lambda |mu|, mu >= 0
///             point masses within the shape, as published [Nadeau et al. 2022]
///             o = tanh(3 nu / c1), nu = |a|^2 + |wd|^2 + |w|^2 / 0.25 of a sample;
///             A0 the rows at rest
///   pmd_weighted  the same with torques in units of their noise over the forces', and masses per
///                 volume in |mu|
enum class PayloadMethod {
  automatic,
  ols,
  wls,
  tls,
  geo,
  pullback,
  cone,
  metric,
  manifold,
  pmd,
  pmd_weighted
};

/// A primitive solid centered at the origin.
struct PayloadPrimitive {
  enum class Kind { box, ball, cylinder };  ///< the axis of the cylinder is z

  Kind kind = Kind::box;
  Eigen::Vector3d size = Eigen::Vector3d::Zero();  ///< of its bounding box [m]
};

template <>
struct EnumNames<WrenchFrame> {
  static constexpr EnumName<WrenchFrame> kList[] = {{WrenchFrame::sensor, "sensor"},
                                                    {WrenchFrame::base, "base"},
                                                    {WrenchFrame::base_origin, "base_origin"}};
};

template <>
struct EnumNames<OrientationKind> {
  static constexpr EnumName<OrientationKind> kList[] = {
      {OrientationKind::sensor_to_world, "sensor_to_world"},
      {OrientationKind::world_to_sensor, "world_to_sensor"}};
};

template <>
struct EnumNames<QuaternionOrder> {
  static constexpr EnumName<QuaternionOrder> kList[] = {{QuaternionOrder::xyzw, "xyzw"},
                                                        {QuaternionOrder::wxyz, "wxyz"}};
};

template <>
struct EnumNames<PayloadPrimitive::Kind> {
  static constexpr EnumName<PayloadPrimitive::Kind> kList[] = {
      {PayloadPrimitive::Kind::box, "box"},
      {PayloadPrimitive::Kind::ball, "ball"},
      {PayloadPrimitive::Kind::cylinder, "cylinder"}};
};

template <>
struct EnumNames<BiasKind> {
  static constexpr EnumName<BiasKind> kList[] = {{BiasKind::none, "none"},
                                                 {BiasKind::constant, "constant"},
                                                 {BiasKind::per_segment, "per_segment"},
                                                 {BiasKind::drift, "drift"}};
};

template <>
struct EnumNames<PayloadMethod> {
  static constexpr EnumName<PayloadMethod> kList[] = {
      {PayloadMethod::automatic, "auto"},
      {PayloadMethod::ols, "ols"},
      {PayloadMethod::wls, "wls"},
      {PayloadMethod::tls, "tls"},
      {PayloadMethod::geo, "geo"},
      {PayloadMethod::pullback, "pullback"},
      {PayloadMethod::cone, "cone"},
      {PayloadMethod::metric, "metric"},
      {PayloadMethod::manifold, "manifold"},
      {PayloadMethod::pmd, "pmd"},
      {PayloadMethod::pmd_weighted, "pmd_weighted"}};
};

inline constexpr double kUsualGravity = 9.81;  ///< gravitational acceleration [m/s^2], the default

/// How motion and wrench are logged.
struct SensorOptions {
  double sign = 1;  ///< 1: the sensor reports the wrench on the payload; -1: the wrench that the
                    ///< payload exerts on it
  WrenchFrame wrench_frame = WrenchFrame::sensor;
  /// Columns of force x, y, z and torque x, y, z; empty: fx..nz, or the only six columns whose
  /// names contain force and torque.
  std::vector<std::string> wrench_columns;
  OrientationKind orientation = OrientationKind::sensor_to_world;  ///< direction of the logged
                                                                   ///< rotations
  QuaternionOrder quaternion = QuaternionOrder::xyzw;
  std::optional<double> gravity;  ///< gravitational acceleration [m/s^2] if it is not logged;
                                  ///< empty: that of the robot, otherwise kUsualGravity
  Eigen::Vector3d down = -Eigen::Vector3d::UnitZ();  ///< unit vector in the world of these
                                                     ///< orientations
  /// Pose of the sensor in the frame whose motion is logged, usually the flange.
  Eigen::Isometry3d mounting = Eigen::Isometry3d::Identity();
  double wrench_delay_s = 0;      ///< delay of the logged wrench relative to its motion
  bool finds_delay = false;       ///< estimates the delay from the log
  std::optional<KnownTool> tool;  ///< its wrench is subtracted, and its bias if it has one
};

/// Source of the reference inertia; at most one may be given. Only its normalized moments are used;
/// the mass comes from the log.
struct PayloadPriorOptions {
  std::string mesh;  ///< file with a closed surface [m]
  /// Meshes of one material each, in a common frame: files, or "file#material" for the triangles of
  /// one material of a file. The log determines their densities [kg/m^3] between the two bounds;
  /// equal bounds are a known density.
  struct Part {
    std::string mesh;
    double least_density = 0, largest_density = std::numeric_limits<double>::infinity();

    bool is_known() const { return least_density == largest_density; }
  };
  std::vector<Part> parts;
  std::optional<PayloadPrimitive> primitive;
  std::string points;  ///< CSV with x,y,z,volume [m, m^3], in the sensor's frame
  std::optional<BodyParameters> parameters;  ///< ten numbers in the sensor's frame; the mass only
                                             ///< scales the others
  double point_density = 0;  ///< [1/cm^3] of points in mesh or primitive, for pmd; 0: 0.04, but at
                             ///< least 100 points
  Eigen::Isometry3d pose = Eigen::Isometry3d::Identity();  ///< pose of mesh or primitive in the
                                                           ///< sensor's frame; points and
                                                           ///< parameters are already in it
};

/// All options for weighing a payload.
struct PayloadOptions {
  SensorOptions sensor;
  PayloadPriorOptions prior;
  BiasKind bias = BiasKind::constant;
  /// Times of the log [s] at which the sensor's offset changes, for `constant`; for poses at rest,
  /// numbers of rows from 0.
  std::vector<double> bias_changes;
  bool finds_bias_changes = false;  ///< estimates these times from the log
  double lowpass_hz = 5;  ///< of rows and wrench, for `auto` and the intervals of every method; 0:
                          ///< no filter
  std::optional<double> metric_weight;  ///< w for metric and auto
  std::optional<double> gamma;          ///< for geo and pullback
  double c1 = 300, lambda = 0.1;        ///< for pmd; c1 increases with the noise of accelerations
  PayloadLimits limits;                 ///< satisfied exactly
  double margin = 1e-6;                 ///< J >= margin J0 (Constraints::margin)
  /// Times of the log [s] at which the body on the sensor changes: each stretch is weighed
  /// separately, with a common offset.
  std::vector<double> changes;
  bool finds_changes = false;  ///< estimates these times from the log
  /// Relative standard deviation of each joint's torque scale, only for joint torques; empty:
  /// estimated from residuals.
  std::optional<double> torque_scale_sd;
  bool is_calibration = false;  ///< the payload is a tool that stays on the sensor: writes
                                ///< zero.yaml for later runs
};

/// Returns the pose of x, y, z [m] and roll, pitch, yaw [rad] (R = Rz(yaw) Ry(pitch) Rx(roll), as
/// in a URDF). Error: not six numbers.
Result<Eigen::Isometry3d> pose_of(const std::vector<double>& numbers, const std::string& where);

/// Returns the six numbers of a pose; of the two ways to write its rotation, the one with the
/// smaller pitch.
Eigen::Matrix<double, 6, 1> numbers_of(const Eigen::Isometry3d& pose);

}  // namespace heft
#pragma GCC visibility pop
