// What the numbers of a line of a stream mean: a sample of the sensor's motion and wrench
// (wrench_stream.hpp).
#pragma once

#include <memory>

#include "heft/payload/samples.hpp"
#include "payload/wrench_stream.hpp"

namespace heft::payload {

class StreamRows {
 public:
  virtual ~StreamRows() = default;

  /// Of one line, or of one before it; nothing if a number is missing, or not yet. The error's
  /// place is `where`.
  virtual Result<std::optional<WrenchSample>> sample(const std::vector<double>& numbers,
                                                     const std::string& where) = 0;
};

/// Lines of a sensor with its own kinematics. Errors: columns that are missing, poses at rest.
Result<std::shared_ptr<StreamRows>> rows_of_motion(const std::vector<std::string>& names,
                                                   const SensorOptions& options,
                                                   const std::string& where);

/// Lines of coordinates and a wrench. Errors: columns that are missing, a base that floats, turns
/// to be counted.
Result<std::shared_ptr<StreamRows>> rows_of_coordinates(const std::vector<std::string>& names,
                                                        const SensorOnLink& sensor,
                                                        const SensorOptions& options,
                                                        const std::string& where);

}  // namespace heft::payload
