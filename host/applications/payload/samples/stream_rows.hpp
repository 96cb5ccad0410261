// Converts the numbers of a line of a stream to a sample of the sensor's motion and wrench
// (wrench_stream.hpp).
#pragma once

#include <memory>

#include "heft/payload/samples.hpp"
#include "payload/wrench_stream.hpp"

namespace heft::payload {

class StreamRows {
 public:
  virtual ~StreamRows() = default;

  /// Returns the sample of this line or an earlier one; empty if a number is missing or not yet
  /// available. Errors are located at `where`.
  virtual Result<std::optional<WrenchSample>> sample(const std::vector<double>& numbers,
                                                     const std::string& where) = 0;
};

/// For sensors with their own kinematics. Errors: missing columns, poses at rest.
Result<std::shared_ptr<StreamRows>> rows_of_motion(const std::vector<std::string>& names,
                                                   const SensorOptions& options,
                                                   const std::string& where);

/// For coordinates and a wrench. Errors: missing columns, a floating base, joints that require
/// unwrapping.
Result<std::shared_ptr<StreamRows>> rows_of_coordinates(const std::vector<std::string>& names,
                                                        const SensorOnLink& sensor,
                                                        const SensorOptions& options,
                                                        const std::string& where);

}  // namespace heft::payload
