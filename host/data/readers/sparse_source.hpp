// Interpolates columns recorded at a lower rate than the rows of a table: empty fields between
// numbers.
//
//   value(t) = a + (b - a) (t - t_a) / (t_b - t_a)     between the numbers at t_a <= t <= t_b
//
// Of the table's first rows, those of the column with most numbers count. A column is sparse if it
// has a number in less than three quarters of them, and in at least three rows. It stays NaN before
// its first number, after its last, and between numbers further apart than a pause. Other columns
// are unchanged. Where several series were merged into one table, each with stamps of its own, only
// the rows of the most frequent one remain; of equal ones, that of the first selected column.
//
// Memory: rows that wait for the next number, up to a limit; beyond it the column is NaN.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "heft/base/result.hpp"
#include "heft/log/source.hpp"
#include "readers/join.hpp"

namespace heft {

/// Rows in which each column was interpolated. Complete at the end of the source.
using FilledRows = std::map<std::string, std::int64_t>;

/// For a source with one group and a clock. Keeps a reference to `filled` and counts in it.
SourcePtr fill_sparse_columns(SourcePtr source, const JoinOptions& options,
                              std::shared_ptr<FilledRows> filled);

}  // namespace heft
