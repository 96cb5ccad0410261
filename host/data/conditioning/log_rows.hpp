// Rows of a log in SI units, in order of time: the stage between the text of a file and its
// samples.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "conditioning/log_columns.hpp"
#include "heft/log/log.hpp"
#include "read_ahead.hpp"
#include "readers/clock.hpp"

namespace heft {

/// Reasons why a measured torque cannot be used, as bits.
enum TorqueFlag : std::uint8_t { kNotANumber = 1, kClipped = 2 };

struct LogRow {
  double time = 0;                         ///< [s]
  std::int64_t line = 0;                   ///< as counted in the source
  std::vector<double> values;              ///< LogColumns::num_values; an unusable torque is NaN
  std::vector<std::uint8_t> torque_flags;  ///< LogColumns::num_torques
  bool motion_known = true;                ///< no NaN among the values before the torques
};

class LogRows {
 public:
  /// Selects the columns of a source with one group and starts to read. `torque_limits`: one per
  /// torque column, infinite for none. Keeps references to source and columns. Errors: those of
  /// Source::select.
  static Result<LogRows> open(Source& source, const LogColumns& columns, double time_scale,
                              std::vector<double> torque_limits);

  /// Reads the next row; returns false at the end of the file. Skips and counts rows that repeat
  /// the time of the previous one. Errors: those of the source, a time that is missing or
  /// decreases.
  Result<bool> next(LogRow& row);

  std::int64_t num_rows() const { return num_rows_; }
  std::int64_t num_repeated() const { return num_repeated_; }
  double first_time() const { return first_time_; }
  double last_time() const { return clock_.time(); }
  const ReadAhead& reading() const { return *reading_; }

 private:
  void take(const ColumnBlock& block);

  LogRows(const Source& source, const LogColumns& columns, double time_scale,
          std::vector<double> torque_limits)
      : source_(source),
        columns_(columns),
        clock_(time_scale),
        torque_limits_(std::move(torque_limits)) {}

  const Source& source_;
  const LogColumns& columns_;
  Clock clock_;
  std::vector<double> torque_limits_;
  std::unique_ptr<ReadAhead> reading_;
  std::size_t time_slot_ = 0;
  std::vector<std::size_t> slots_;  // index of each value among the selected columns
  struct Input {
    ColumnBlock::Column column;
    double scale, offset;
  };
  std::vector<Input> inputs_;  // of each value, in the block
  const ColumnBlock* block_ = nullptr;
  std::int64_t row_ = 0;  // next row of the block
  std::int64_t num_rows_ = 0;
  std::int64_t num_repeated_ = 0;
  double first_time_ = 0;
};

}  // namespace heft
