// Names of the columns of a base's IMU.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "heft/log/log.hpp"

namespace heft {

inline constexpr std::array<const char*, 3> kBaseAngularVelocity = {"base_wx", "base_wy",
                                                                    "base_wz"};
inline constexpr std::array<const char*, 3> kBaseSpecificForce = {"base_fx", "base_fy", "base_fz"};

/// Returns the columns of gyroscope and accelerometer, as named or by default; empty without an
/// IMU.
inline std::vector<std::string> imu_columns(const BaseSource& base) {
  if (base.source != BaseMeasurement::imu) return {};
  std::vector<std::string> names = base.gyro;
  if (names.empty()) names.assign(kBaseAngularVelocity.begin(), kBaseAngularVelocity.end());
  if (base.accel.empty())
    names.insert(names.end(), kBaseSpecificForce.begin(), kBaseSpecificForce.end());
  names.insert(names.end(), base.accel.begin(), base.accel.end());
  return names;
}

}  // namespace heft
