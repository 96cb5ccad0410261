// The rows of a log in SI units, in order of time: what stands between the text of a file and its samples.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "heft/log/log.hpp"
#include "log/log_columns.hpp"
#include "row_stream.hpp"

namespace heft {

/// Why a measured torque cannot be used, in bits.
enum TorqueFlag : std::uint8_t { kNotANumber = 1, kClipped = 2 };

struct LogRow {
  double time = 0;                         ///< [s]
  std::vector<double> values;              ///< LogColumns::num_values; a torque that is not a number is nan
  std::vector<std::uint8_t> torque_flags;  ///< LogColumns::num_torques
  bool motion_known = true;                ///< no nan among the values before the torques
};

class LogRows {
 public:
  /// Selects the columns and begins to read. `torque_limits`: one per torque column, infinite for none. Keeps
  /// references to reader and columns. Errors: those of TableReader::select.
  static Result<LogRows> open(TableReader& reader, const LogColumns& columns, double time_scale,
                              std::vector<double> torque_limits);

  /// Reads the next row; false at the end of the file. Rows that repeat the time of the one before are
  /// skipped and counted. Errors: those of the reader, a time that is missing or goes backwards.
  Result<bool> next(LogRow& row);

  std::int64_t num_rows() const { return num_rows_; }
  std::int64_t num_repeated() const { return num_repeated_; }
  double first_time() const { return first_time_; }
  double last_time() const { return last_time_; }
  const RowStream& stream() const { return *stream_; }

 private:
  LogRows(const LogColumns& columns, double time_scale, std::vector<double> torque_limits)
      : columns_(columns), time_scale_(time_scale), torque_limits_(std::move(torque_limits)) {}

  const LogColumns& columns_;
  double time_scale_;
  std::vector<double> torque_limits_;
  std::unique_ptr<RowStream> stream_;
  int time_slot_ = 0;
  std::vector<int> slots_;  // of each value among the numbers of a row, which are in order of the header
  std::int64_t num_rows_ = 0;
  std::int64_t num_repeated_ = 0;
  double first_time_ = 0;
  double last_time_ = 0;
};

}  // namespace heft
