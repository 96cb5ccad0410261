// Arrays in memory as a log, for programs without files. Numbers are read in place and not copied
// before conditioning. Threads: several sources may read the same numbers concurrently; no thread
// may write them meanwhile.
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

/// A non-owning view of rows x columns of numbers in memory with any strides: number (i, k) is
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

  /// Views an Eigen array, matrix or map, which must outlive the view; a vector is one column.
  template <class Dense>
    requires std::is_lvalue_reference_v<Dense> && requires(Dense array) {
      { array.data() } -> std::convertible_to<const double*>;
      array.innerStride();
    }
  ArrayView(Dense&& array)  // NOLINT(google-explicit-constructor): as Eigen::Ref
      : ArrayView(array.data(), array.rows(), array.cols(), array.rowStride(), array.colStride()) {}

  /// Views a vector as one column; the vector must outlive the view.
  ArrayView(const std::vector<double>& column)  // NOLINT(google-explicit-constructor): as std::span
      : ArrayView(column.data(), static_cast<std::int64_t>(column.size()), 1, 1, 0) {}
  ArrayView(std::vector<double>&&) = delete;
};

/// One or more named columns.
struct ArrayColumns {
  std::vector<std::string> names;
  ArrayView numbers;
};

/// Arrays recorded by one clock, each with as many rows as `time`.
struct ArrayGroup {
  std::string name;  ///< name for errors; may be empty if there is only one group
  ArrayView time;    ///< one column, named by LogFormat::time
  std::vector<ArrayColumns> columns;
};

/// Makes a log from arrays. `name` is used in errors. The numbers must outlive every source opened
/// from the log, or belong to `owner`, which the log keeps alive. Errors on opening: no group, no
/// rows, columns and clock of different lengths, duplicate column names; on reading: an infinite
/// number, at "name[row]: column".
Log array_log(std::string name, std::vector<ArrayGroup> groups,
              std::shared_ptr<const void> owner = {});

/// Makes the usual log of a robot: one column per coordinate in the robot's order, with the names
/// that the default patterns expect ("q1", "tau1"). `velocity` and `acceleration` may be empty.
/// [s], [rad] or [m], [N m] or [N].
Log array_log(std::string name, const ArrayView& time, const ArrayView& position,
              const ArrayView& torque, const ArrayView& velocity = {},
              const ArrayView& acceleration = {}, std::shared_ptr<const void> owner = {});

}  // namespace heft
#pragma GCC visibility pop
