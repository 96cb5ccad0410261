// What stands at the top of a text table: lines of an exporter, comments, a header behind a lone
// mark of comments, rows with one more mark than the header.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "csv_fields.hpp"

namespace heft {

/// Lines of the file from the first on that is not blank, without their '\n'.
using Lines = std::vector<std::string_view>;

struct CsvTop {
  std::size_t header = 0;  ///< the line that names the columns, or holds the first row; those
                           ///< before it are passed over
  std::size_t mark = 0;    ///< bytes of the comment's mark in front of the names
};

/// `time`: name of the column of time; a line that holds it names the columns. Without a header
/// comments are passed over.
CsvTop find_top(const Lines& lines, const std::string& delimiter, const std::string& time,
                bool has_header);

/// All rows end with a delimiter behind which nothing stands: one field more than the header has.
bool rows_have_empty_end(const Lines& rows, const CsvFields& fields, std::size_t num_columns);

/// All rows have this number of fields; 0 if they differ, or if there is none.
std::size_t common_count(const Lines& rows, const CsvFields& fields);

/// Stamps printed as seconds, a point and nanoseconds without leading zeros: they go backwards as
/// they stand, and not once the zeros are put back. An example, as "17.4000000 means 17.004000000";
/// empty if they are sound.
std::string unpadded_fraction(const Lines& rows, const CsvFields& fields, std::size_t column);

}  // namespace heft
