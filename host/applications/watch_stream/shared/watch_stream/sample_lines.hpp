// Samples of a robot from lines of a text table, read in the convention of the logs that its model
// was identified from, or of a device. Threads: a reader is used by one thread at a time.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "conditioning/log_columns.hpp"
#include "heft/base/result.hpp"
#include "predict/identified_model.hpp"

#pragma GCC visibility push(default)
namespace heft {

class SampleLines {
 public:
  /// Makes a reader for a header. `where` is the place of the header in errors. Errors: missing
  /// columns, with similar names; log.unwrap; times that are text or two numbers.
  static Result<SampleLines> make(const std::string& header, const IdentifiedModel& identified,
                                  const LogFormat& format, const std::string& where);

  /// Reads a line; returns false if it has another number of fields than the header. Fields that
  /// are not numbers are nan.
  bool read(std::string_view line);

  double time() const { return time_; }                              ///< [s]
  const std::vector<double>& position() const { return position_; }  ///< [rad], [m]
  const std::vector<double>& torque() const { return torque_; }      ///< [N m], [N]; 0: not logged

 private:
  double value(int index) const;

  std::size_t num_fields_ = 0;
  double time_scale_ = 1;
  LogColumns columns_;
  std::vector<std::string_view> fields_;
  double time_ = 0;
  std::vector<double> position_, torque_;
};

}  // namespace heft
#pragma GCC visibility pop
