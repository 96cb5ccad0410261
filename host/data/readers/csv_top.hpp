// Analyzes the top of a text table: exporter lines, comments, a header after a single comment mark,
// rows with one delimiter more than the header.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "csv_fields.hpp"

namespace heft {

/// Lines of the file, starting with the first that is not blank, without their '\n'.
using Lines = std::vector<std::string_view>;

struct CsvTop {
  std::size_t header = 0;  ///< index of the line with the column names, or of the first row;
                           ///< earlier lines are skipped
  std::size_t mark = 0;    ///< length in bytes of the comment mark before the names
};

/// `time`: name of the time column; a line that contains it is the header. Without a header,
/// comments are skipped.
CsvTop find_top(const Lines& lines, const std::string& delimiter, const std::string& time,
                bool has_header);

/// Returns whether all rows end with a delimiter and an empty field beyond the header's fields.
bool rows_have_empty_end(const Lines& rows, const CsvFields& fields, std::size_t num_columns);

/// Returns the number of fields of all rows; 0 if they differ or there are no rows.
std::size_t common_count(const Lines& rows, const CsvFields& fields);

/// Detects stamps printed as seconds, a point and nanoseconds without leading zeros: they decrease
/// as printed, but not with the zeros restored. Returns an example such as "17.4000000 means
/// 17.004000000"; empty if the stamps are valid.
std::string unpadded_fraction(const Lines& rows, const CsvFields& fields, std::size_t column);

}  // namespace heft
