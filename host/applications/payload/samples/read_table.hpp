// Reads the requested columns of a log or any table of numbers into memory.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <string>
#include <vector>

#include "heft/base/result.hpp"
#include "heft/log/source.hpp"

namespace heft::payload {

struct Table {
  Eigen::ArrayXXd rows;  ///< one row each, columns in the requested order; NaN for missing numbers
  std::vector<std::int64_t> lines;  ///< for Source::where
  std::string sha256;
};

/// Reads the rows of a newly opened source. Errors: those of Source; no rows; more than fit into
/// memory.
Result<Table> read_columns(Source& source, const std::vector<int>& columns);

/// Opens a file and reads the named columns. Further error: a missing column, with near misses.
Result<Table> read_table(const std::string& path, const std::vector<std::string>& names);

}  // namespace heft::payload
