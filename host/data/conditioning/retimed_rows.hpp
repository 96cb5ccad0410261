// Rows corrected to uniform times, for logs whose positions show sampling at other times
// (conditioning/sample_shifts.hpp): subtracts from every number its slope times the time shift of
// its row.
#pragma once

#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

#include "conditioning/log_columns.hpp"
#include "log_rows.hpp"

namespace heft {

class RetimedRows {
 public:
  using Next = std::function<Result<bool>(LogRow&)>;

  /// Takes rows from `next`, in blocks. Keeps a reference to the columns.
  RetimedRows(Next next, const LogColumns& columns, int num_joints)
      : next_(std::move(next)), columns_(columns), num_joints_(num_joints) {}

  /// Reads the next row; false at the end. Errors: those of `next`.
  Result<bool> next(LogRow& row);

  /// Returns the rms of the corrected shifts [s]; 0 if rows are unchanged.
  double rms_shift() const;

 private:
  Result<Done> fill();
  void retime_block();
  void retime_stretch(std::size_t first, std::size_t last, double period);

  Next next_;
  const LogColumns& columns_;
  int num_joints_;
  std::vector<LogRow> block_;
  std::size_t at_ = 0;
  bool has_more_ = true;
  bool was_found_ = false;  ///< in the last block long enough for detection
  double sum2_ = 0, num_rows_ = 0;
};

}  // namespace heft
