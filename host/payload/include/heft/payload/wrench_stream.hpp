// Lines of a log of a force-torque sensor as they come, one sample each.
// Threads: one thread at a time uses a reader, which may change.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "heft/base/result.hpp"
#include "heft/payload/options.hpp"
#include "heft/payload/samples.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// A sample of motion in the sensor's frame, as samples.hpp has it.
struct WrenchSample {
  double time = 0;
  Eigen::Vector3d w = Eigen::Vector3d::Zero(), wd = w, u = w;
  Vector6d wrench = Vector6d::Zero();
};

class WrenchLineReader {
 public:
  /// `header`: names parted by commas, as those of a log with motion. Errors: as those of read_wrench_log about columns; poses at
  /// rest.
  static Result<WrenchLineReader> make(const std::string& header, const SensorOptions& options,
                                       const std::string& where);

  /// The sample of a line; nothing if a number is missing. Errors: another number of fields, a field that is no number, an
  /// orientation that is none.
  Result<std::optional<WrenchSample>> read(const std::string& line, const std::string& where);

  const std::vector<std::string>& names() const { return names_; }  ///< of the header
  const std::vector<double>& numbers() const { return numbers_; }   ///< of the line that was read last

 private:
  struct Columns;
  SensorOptions options_;
  std::vector<std::string> names_;
  std::vector<double> numbers_, wanted_;
  std::shared_ptr<const Columns> columns_;
};

}  // namespace heft
#pragma GCC visibility pop
