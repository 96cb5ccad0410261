// Reads lines of a force-torque sensor's log as they arrive, one sample each. Threads: a reader is
// used by one thread at a time.
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

/// A sample of motion and wrench in the sensor's frame, as in samples.hpp.
struct WrenchSample {
  double time = 0;
  Eigen::Vector3d w = Eigen::Vector3d::Zero(), wd = w, u = w;
  Vector6d wrench = Vector6d::Zero();
};

/// Converts lines of text to samples.
class WrenchLineReader {
 public:
  /// Makes a reader for logs with motion. `header` has the column names, separated by commas.
  /// Errors: those of read_wrench_log about columns; poses at rest.
  static Result<WrenchLineReader> make(const std::string& header, const SensorOptions& options,
                                       const std::string& where);

  /// Makes a reader for a sensor on a link of a robot. `header` has the names of the time, the
  /// robot's coordinates and the wrench, separated by commas. Coordinates and wrench are smoothed
  /// by least-squares polynomials over a window around the sample, whose length follows from
  /// conditioning.lowpass_hz, or is savgol_window with degree savgol_order. Samples are therefore
  /// delayed by half a window, and the first 20 lines determine the rate. Errors: those of
  /// read_wrench_log; a floating base, turns to be counted.
  static Result<WrenchLineReader> make(const std::string& header, const SensorOnLink& sensor,
                                       const SensorOptions& options, const std::string& where);

  /// Returns the sample of a line, without the wrench of a known tool; empty if a number is missing
  /// or the sample is not available yet. With options.wrench_delay_s a sample is returned once the
  /// wrench of its motion has arrived; for a delayed wrench it is the sample of an earlier line.
  /// Errors: a wrong number of fields, a field that is not a number, an invalid orientation.
  Result<std::optional<WrenchSample>> read(const std::string& line, const std::string& where);

  const std::vector<std::string>& names() const { return names_; }  ///< of the header
  /// Returns the numbers of the last line that was read.
  const std::vector<double>& numbers() const { return numbers_; }

 private:
  using MakeRows = std::function<Result<std::shared_ptr<payload::StreamRows>>(
      const std::vector<std::string>& names)>;
  static Result<WrenchLineReader> make(const std::string& header, const SensorOptions& options,
                                       const MakeRows& make_rows);

  SensorOptions options_;
  std::vector<std::string> names_;
  std::vector<double> numbers_;
  std::shared_ptr<payload::StreamRows> rows_;
  std::shared_ptr<payload::WrenchDelay> delay_;  ///< null: wrench and motion have the same time
};

}  // namespace heft
#pragma GCC visibility pop
