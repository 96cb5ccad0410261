// Logs of force-torque sensors, from files to samples in the sensor's frame.
// Threads: any number of threads may call, each with objects of its own; what is const may be
// shared.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "heft/base/result.hpp"
#include "heft/log/source.hpp"
#include "heft/payload/doubt.hpp"
#include "heft/payload/options.hpp"
#include "heft/payload/samples.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// What a log was oriented by, besides gravity: r11..r33, or a quaternion.
enum class LoggedRotation { none, matrix, quaternion };

struct PayloadLog {
  std::string path, sha256;
  std::int64_t num_rows = 0, num_dropped = 0;
  double duration_s = 0, rate_hz = 0;
  double wrench_delay_s = 0;               ///< by which the wrench was taken to be late
  std::array<std::string, 6> wrench = {};  ///< columns that it was read from
  LoggedRotation rotation = LoggedRotation::none;
  std::vector<PayloadDoubt> doubts;  ///< parts of the motion that do not belong together
};

/// A log of `t,wx..wz,alx..alz,ax..az,gx..gz,fx..fz,nx..nz` (gravity, or an orientation r11..r33,
/// row-major, or qx..qw, sensor to world), or of poses at rest: an orientation or gravity, and the
/// wrench; or the wrench alone, of poses that go around (FORMULAS 8). Rows with a number missing
/// drop out. `about` hears what was read. Errors: columns that are missing, with near misses; those
/// of Source; an orientation that is none.
Result<WrenchSamples> read_wrench_log(const Log& log, const SensorOptions& options,
                                      PayloadLog& about);

}  // namespace heft
#pragma GCC visibility pop
