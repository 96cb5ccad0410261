// Checks the options of a simulation.
#include <fmt/format.h>

#include <utility>

#include "heft/simulate/simulate.hpp"

namespace heft {

namespace {

constexpr double kMaxRows = 1e8;  ///< of a log

}  // namespace

Result<Done> check_simulation(const SimulateOptions& options) {
  constexpr double kLongest = 1e9, kSlowestRate = 1e-6;  // [s], [Hz]
  if (!(options.duration_s > 0) || !(options.duration_s <= kLongest) ||
      !(options.rate_hz >= kSlowestRate) || !(options.rate_hz <= kMaxRows) ||
      !(options.duration_s * options.rate_hz <= kMaxRows))
    return Error{"simulate", "a log needs a positive length and rate, and at most 1e8 rows",
                 "change the duration of the log or of the held-out log, or the rate"};
  if (!(options.speed > 0 && options.speed <= 1))
    return Error{"speed", "is not a fraction of the velocity limits",
                 "give a number above 0 and at most 1"};
  const struct {
    const char* name;
    double value, largest;
  } sizes[] = {{"perturbation", options.perturbation, 3},
               {"friction", options.friction, 1e3},
               {"torque_noise", options.torque_noise, 1e3},
               {"latency_s", options.latency_s, 10},
               {"torque_lowpass_hz", options.torque_lowpass_hz, 1e6},
               {"backlash", options.backlash, 1},
               {"friction_drift", options.friction_drift, 1},
               {"encoder_counts", options.encoder_counts, 1e15},
               {"sway", options.base.sway, 10},
               {"tilt", options.base.tilt, 1},
               {"gyro_noise", options.base.gyro_noise, 100},
               {"accel_noise", options.base.accel_noise, 1000},
               {"gyro_bias", options.base.gyro_bias, 100},
               {"accel_bias", options.base.accel_bias, 1000},
               {"imu_rotation", options.base.imu_rotation, 180},
               {"pose_noise", options.base.pose_noise, 10},
               {"orientation_noise", options.base.orientation_noise, 1},
               {"wrench_noise", options.base.wrench_noise, 1e3},
               {"wrench_bias", options.base.wrench_bias, 1e6},
               {"contact_delay_s", options.base.contact_delay_s, 1}};
  for (const auto& [name, value, largest] : sizes)
    if (!(value >= 0 && value <= largest))
      return Error{name, "is out of range", fmt::format("give a number from 0 to {:g}", largest)};
  if (options.latency_s > 0 && options.motion)
    return Error{"latency_s", "needs a motion that is defined between the rows of a log",
                 "simulate a trajectory instead of the motion, or set the latency to 0"};
  if (options.encoder_counts > 0 && options.encoder_counts < 1)
    return Error{"encoder_counts", "is less than one step per revolution",
                 "give 0 for exact positions, or at least 1"};
  return Done{};
}

}  // namespace heft
