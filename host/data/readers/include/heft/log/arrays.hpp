// Arrays in memory as a log: for programs that have no file. Numbers are read where they lie, none
// is copied before it is conditioned. Threads: numbers in memory are only read, by several sources
// at once if they are opened so; no thread may write them meanwhile.
#pragma once

#include <concepts>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "heft/log/source.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// rows x columns of numbers in memory, not owned, by rows or by columns: number (i, k) is
/// data[i * row_stride + k * column_stride].
struct ArrayView {
  const double* data = nullptr;
  std::int64_t num_rows = 0;
  std::int64_t num_columns = 0;
  std::int64_t row_stride = 1;
  std::int64_t column_stride = 0;

  ArrayView() = default;
  ArrayView(const double* first, std::int64_t rows, std::int64_t columns,
            std::int64_t stride_of_rows, std::int64_t stride_of_columns)
      : data(first),
        num_rows(rows),
        num_columns(columns),
        row_stride(stride_of_rows),
        column_stride(stride_of_columns) {}

  /// Of an array, matrix or map of Eigen that lives longer; a vector is one column.
  template <class Dense>
  requires std::is_lvalue_reference_v<Dense> && requires(Dense array) {
    { array.data() } -> std::convertible_to<const double*>;
    array.innerStride();
  }
  ArrayView(Dense&& array)  // NOLINT(google-explicit-constructor): as Eigen::Ref
      : ArrayView(array.data(), array.rows(), array.cols(), array.rowStride(), array.colStride()) {}

  /// Of a vector that lives longer: one column.
  ArrayView(const std::vector<double>& column)  // NOLINT(google-explicit-constructor): as std::span
      : ArrayView(column.data(), static_cast<std::int64_t>(column.size()), 1, 1, 0) {}
  ArrayView(std::vector<double>&&) = delete;
};

/// One or more columns by their names.
struct ArrayColumns {
  std::vector<std::string> names;
  ArrayView numbers;
};

/// Arrays that were recorded by one clock: as many rows each as `time`.
struct ArrayGroup {
  std::string name;  ///< what errors call it; may be empty if it is the only one
  ArrayView time;    ///< one column, which a log's LogFormat::time names
  std::vector<ArrayColumns> columns;
};

/// `name`: what errors call it. The numbers must outlive every source that is opened of the log, or
/// belong to `owner`, which the log keeps. Errors come when it is opened: no group, no rows,
/// columns of another length than their clock's, two of one name; and when it is read: an infinite
/// number, at "name[row]: column".
Log array_log(std::string name, std::vector<ArrayGroup> groups,
              std::shared_ptr<const void> owner = {});

/// The usual log of a robot: one column per coordinate in the robot's order, with the names that
/// the default patterns expect ("q1", "tau1"); `velocity` and `acceleration` may be empty. [s],
/// [rad] or [m], [N m] or [N].
Log array_log(std::string name, const ArrayView& time, const ArrayView& position,
              const ArrayView& torque, const ArrayView& velocity = {},
              const ArrayView& acceleration = {}, std::shared_ptr<const void> owner = {});

}  // namespace heft
#pragma GCC visibility pop
