// A log, or any table of numbers, whole in memory: the columns wanted and nothing else.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <string>
#include <vector>

#include "heft/base/result.hpp"
#include "heft/log/source.hpp"

namespace heft::payload {

struct Table {
  Eigen::ArrayXXd rows;  ///< a row each, columns in the order wanted; nan where a number is missing
  std::vector<std::int64_t> lines;  ///< where Source::where finds them
  std::string sha256;
};

/// The rows of a source that was just opened. Errors: those of Source; no rows; more than fit.
Result<Table> read_columns(Source& source, const std::vector<int>& columns);

/// Opens a file and reads the columns named. Errors besides: a column that is missing, with near
/// misses.
Result<Table> read_table(const std::string& path, const std::vector<std::string>& names);

}  // namespace heft::payload
