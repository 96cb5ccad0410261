// How a log tells the motion of a floating base: an IMU, or the poses of a frame of the root link.
// Threads: plain values; concurrent reads are safe, a writer needs exclusive access.
#pragma once

#include <string>
#include <vector>

#include "heft/base/enum_names.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// What the columns of the base measure.
enum class BaseMeasurement {
  imu,   ///< angular velocity and specific force of the frame, in its axes
  pose,  ///< position and quaternion of the frame in the world, whose z axis points up
};

template <>
struct EnumNames<BaseMeasurement> {
  static constexpr EnumName<BaseMeasurement> kList[] = {{BaseMeasurement::imu, "imu"},
                                                        {BaseMeasurement::pose, "pose"}};
};

/// The order of a quaternion's columns; there is no default.
enum class QuaternionOrder { unstated, xyzw, wxyz };

template <>
struct EnumNames<QuaternionOrder> {
  static constexpr EnumName<QuaternionOrder> kList[] = {{QuaternionOrder::unstated, "unstated"},
                                                        {QuaternionOrder::xyzw, "xyzw"},
                                                        {QuaternionOrder::wxyz, "wxyz"}};
};

/// Columns of the motion of a floating base. Without names: base_wx .. base_wz, base_fx .. base_fz,
/// and base_wdx .. base_wdz if they are there.
struct BaseSource {
  BaseMeasurement source = BaseMeasurement::imu;
  std::string frame;               ///< a link fixed to the root link; empty: the root link
  std::vector<std::string> gyro;   ///< three columns [rad/s]; empty: base_wx, base_wy, base_wz
  std::vector<std::string> accel;  ///< three columns [m/s^2]; empty: base_fx, base_fy, base_fz
  /// Seven columns: position [m], then the quaternion, of the frame in the world. With an IMU they
  /// only give the direction of the world's axes; may then be empty.
  std::vector<std::string> pose;
  QuaternionOrder quaternion = QuaternionOrder::unstated;
  bool bias = false;      ///< unknowns: biases of gyroscope and accelerometer
  bool rotation = false;  ///< unknowns: a small rotation of the IMU against the frame

  bool operator==(const BaseSource&) const = default;
};

}  // namespace heft
#pragma GCC visibility pop
