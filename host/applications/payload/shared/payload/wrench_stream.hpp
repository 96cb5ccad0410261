// Lines of a log of a force-torque sensor as they come, one sample each.
// Threads: one thread at a time uses a reader, which may change.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "heft/base/result.hpp"
#include "heft/payload/options.hpp"
#include "heft/payload/samples.hpp"

#pragma GCC visibility push(default)
namespace heft {

namespace payload {
class StreamRows;
class WrenchDelay;
}  // namespace payload

/// A sample of motion in the sensor's frame, as samples.hpp has it.
struct WrenchSample {
  double time = 0;
  Eigen::Vector3d w = Eigen::Vector3d::Zero(), wd = w, u = w;
  Vector6d wrench = Vector6d::Zero();
};

class WrenchLineReader {
 public:
  /// `header`: names parted by commas, as those of a log with motion. Errors: as those of
  /// read_wrench_log about columns; poses at rest.
  static Result<WrenchLineReader> make(const std::string& header, const SensorOptions& options,
                                       const std::string& where);

  /// `header`: names of the time, the coordinates of the robot and the wrench, as those of a log of
  /// a sensor on a link. Coordinates and wrench go through polynomials of least squares over a
  /// window around the sample: as long as conditioning.lowpass_hz asks for, or savgol_window with
  /// degree savgol_order. So samples come half a window late, and the first 20 lines tell the rate.
  /// Errors: as those of read_wrench_log; a base that floats, turns to be counted.
  static Result<WrenchLineReader> make(const std::string& header, const SensorOnLink& sensor,
                                       const SensorOptions& options, const std::string& where);

  /// The sample of a line, a known tool taken off; nothing if a number is missing, or not yet. With
  /// options.wrench_delay_s a sample comes as soon as the wrench of its motion has come, which is
  /// the sample of a line before where the wrench is late. Errors: another number of fields, a
  /// field that is no number, an orientation that is none.
  Result<std::optional<WrenchSample>> read(const std::string& line, const std::string& where);

  const std::vector<std::string>& names() const { return names_; }  ///< of the header
  const std::vector<double>& numbers() const {
    return numbers_;
  }  ///< of the line that was read last

 private:
  using MakeRows = std::function<Result<std::shared_ptr<payload::StreamRows>>(
      const std::vector<std::string>& names)>;
  static Result<WrenchLineReader> make(const std::string& header, const SensorOptions& options,
                                       const MakeRows& make_rows);

  SensorOptions options_;
  std::vector<std::string> names_;
  std::vector<double> numbers_;
  std::shared_ptr<payload::StreamRows> rows_;
  std::shared_ptr<payload::WrenchDelay> delay_;  ///< none: wrench and motion are of one time
};

}  // namespace heft
#pragma GCC visibility pop
