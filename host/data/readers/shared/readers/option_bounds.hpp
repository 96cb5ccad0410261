// Allowed values of the options of logs and conditioning. Configuration files and programs are
// checked against the same bounds: config/fields.hpp and options_check.cpp read them here.
#pragma once

#include <cmath>
#include <string_view>

namespace heft::option_bounds {

struct Bounds {
  double lowest, highest;
  constexpr bool contains(double x) const { return x >= lowest && x <= highest; }
};

// a value beyond is a slip, and would leave no digits of the signal
inline constexpr Bounds kScale{1e-9, 1e9};  ///< size of torque_scale and position_scale
inline constexpr Bounds kTorqueOffset{-1e9, 1e9};
inline constexpr Bounds kPositionOffset{-1e6, 1e6};
inline constexpr Bounds kTorqueDelay{-0.5, 0.5};  ///< [s]
inline constexpr Bounds kRate{0.01, 1e6};         ///< rate_hz [Hz]; 0 stands for the stamps

inline bool is_scale(double x) {
  return kScale.contains(std::abs(x));
}
inline bool is_rate(double x) {
  return x == 0 || kRate.contains(x);
}
inline bool is_angle_unit(std::string_view unit) {
  return unit == "rad" || unit == "deg" || unit == "auto";
}
inline bool is_trim(int samples) {
  return samples >= 0;
}

}  // namespace heft::option_bounds
