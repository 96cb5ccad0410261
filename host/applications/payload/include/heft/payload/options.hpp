// What is told before a payload is weighed: how the sensor reports, what is believed, and by which
// method. Threads: plain values: share them for reading; a thread that changes one must own it.
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

/// What hangs on a sensor besides the payload, and what it shows without load, as an earlier run
/// found them.
struct KnownTool {
  BodyParameters parameters = BodyParameters::Zero();  ///< in the sensor's frame, or the link's by
                                                       ///< torques; zero: nothing but offsets
  /// In whose frame it was calibrated by joint torques; empty: by a sensor, or told.
  std::string link = {};
  Eigen::Matrix<double, 6, 1> bias = Eigen::Matrix<double, 6, 1>::Zero();  ///< [N], [N m]
  bool has_bias = false;
  /// Of the errors of m, h (four) and bias (six), in their units.
  Eigen::Matrix<double, 10, 10> covariance = Eigen::Matrix<double, 10, 10>::Zero();
};

/// What is known of a payload for certain, besides its possible inertia: the answer keeps to it.
/// Of auto, geo, cone and metric, with their certificates; other methods refuse them.
struct PayloadLimits {
  double known_mass = 0;  ///< [kg]; 0: unknown
  /// [kg/m^3] of any matter in the shape: mass over its volume lies between.
  double least_density = 0, largest_density = std::numeric_limits<double>::infinity();
  std::optional<Eigen::AlignedBox3d> com_region;  ///< in the sensor's frame [m]: the center of mass
                                                  ///< is in it
  bool within_shape = false;  ///< all mass lies in the least ellipsoid around the shape

  bool has_density() const { return least_density > 0 || std::isfinite(largest_density); }
};

enum class WrenchFrame {
  sensor,
  base,         ///< axes of the base, torque about the sensor's origin
  base_origin,  ///< axes of the base, torque about its origin
};

/// What a logged orientation (r11..r33 or a quaternion) turns.
enum class OrientationKind {
  sensor_to_world,  ///< vectors in the sensor's axes into the world's: what most poses are
  world_to_sensor,  ///< its transpose
};

/// What four columns named as x, y, z and w hold.
enum class QuaternionOrder { xyzw, wxyz };

/// Unknown offsets of the sensor: none, six a log, six a segment (between gaps), or six polynomials
/// in time a log.
enum class BiasKind { none, constant, per_segment, drift };

/// FORMULAS 8. Rows are those of all samples, residuals e; s_c the rms residual of channel c after
/// four passes of weighted least squares; J0 = L L' the prior's pseudo-inertia.
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
///   auto      metric twice, on rows and wrench low-passed alike: with w = 1e-2, and again about
///             the shape's tensor carried to the
///             mass and center of mass of the first, as firmly as the shape is known
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

/// A solid without a file, about its center.
struct PayloadPrimitive {
  enum class Kind { box, ball, cylinder };  ///< the cylinder's axis is z

  Kind kind = Kind::box;
  Eigen::Vector3d size = Eigen::Vector3d::Zero();  ///< of the box around it [m]
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

inline constexpr double kUsualGravity = 9.81;  ///< [m/s^2] of free fall, the default

/// How the log tells motion and wrench.
struct SensorOptions {
  double sign = 1;  ///< -1: the sensor reports what the payload exerts on it
  WrenchFrame wrench_frame = WrenchFrame::sensor;
  /// Columns of force x, y, z and torque x, y, z; empty: fx..nz, or the only six whose names say
  /// force and torque.
  std::vector<std::string> wrench_columns;
  OrientationKind orientation = OrientationKind::sensor_to_world;  ///< of the log's rotations
  QuaternionOrder quaternion = QuaternionOrder::xyzw;
  std::optional<double> gravity;  ///< [m/s^2] of free fall, where no log says it; none: the
                                  ///< robot's, else kUsualGravity
  Eigen::Vector3d down = -Eigen::Vector3d::UnitZ();  ///< in the world of these orientations; of
                                                     ///< length one
  /// Pose of the sensor in the frame whose motion is logged, usually the flange.
  Eigen::Isometry3d mounting = Eigen::Isometry3d::Identity();
  double wrench_delay_s = 0;      ///< the wrench is logged this much later than the motion that it
                                  ///< belongs to
  bool finds_delay = false;       ///< the log tells how much
  std::optional<KnownTool> tool;  ///< taken off the wrench; its bias too, if it has one
};

/// Where the reference inertia comes from; at most one is given. Moments count, the mass comes from
/// the log.
struct PayloadPriorOptions {
  std::string mesh;  ///< file of a closed surface [m]
  /// Meshes of one material each, in one frame: files, or "file#material" for the triangles of one
  /// material of a file. Their densities [kg/m^3] lie between the two, where the log has them; they
  /// are known if both are the same.
  struct Part {
    std::string mesh;
    double least_density = 0, largest_density = std::numeric_limits<double>::infinity();

    bool is_known() const { return least_density == largest_density; }
  };
  std::vector<Part> parts;
  std::optional<PayloadPrimitive> primitive;
  std::string points;  ///< CSV of x,y,z,volume [m, m^3], in the sensor's frame
  std::optional<BodyParameters> parameters;  ///< ten numbers in the sensor's frame; the mass only
                                             ///< scales the others
  double point_density = 0;  ///< [1/cm^3] of points in mesh or primitive, for pmd; 0: 0.04, but at
                             ///< least 100 points
  Eigen::Isometry3d pose = Eigen::Isometry3d::Identity();  ///< of mesh or primitive in the sensor's
                                                           ///< frame; points and parameters are in
                                                           ///< it
};

struct PayloadOptions {
  SensorOptions sensor;
  PayloadPriorOptions prior;
  BiasKind bias = BiasKind::constant;
  /// Times of the log [s] from which on the sensor has another offset, with `constant`; of poses at
  /// rest numbers of rows, from 0.
  std::vector<double> bias_changes;
  bool finds_bias_changes = false;  ///< the log tells when
  double lowpass_hz = 5;  ///< of rows and wrench alike, for `auto` and the intervals of every
                          ///< method; 0: none
  std::optional<double> metric_weight;  ///< w of metric and auto
  std::optional<double> gamma;          ///< of geo and pullback
  double c1 = 300, lambda = 0.1;        ///< of pmd; c1 grows with the noise of accelerations
  PayloadLimits limits;                 ///< known for certain
  double margin = 1e-6;                 ///< J >= margin J0 (Constraints::margin)
  /// Times of the log [s] at which another body is on the sensor: each stretch is weighed by
  /// itself, on one offset.
  std::vector<double> changes;
  bool finds_changes = false;  ///< the log tells when
  /// Relative standard deviation of the torque scale of each joint, by joint torques only; empty:
  /// estimated from residuals.
  std::optional<double> torque_scale_sd;
  bool is_calibration = false;  ///< what is weighed is a tool that stays on: files hold zero.yaml
                                ///< for later runs
};

/// A pose from x, y, z [m] and roll, pitch, yaw [rad] (R = Rz(yaw) Ry(pitch) Rx(roll), as in a
/// URDF). Error: not six numbers.
Result<Eigen::Isometry3d> pose_of(const std::vector<double>& numbers, const std::string& where);

/// The six numbers of a pose; of the two ways to write its rotation the one with the smaller pitch.
Eigen::Matrix<double, 6, 1> numbers_of(const Eigen::Isometry3d& pose);

}  // namespace heft
#pragma GCC visibility pop
