// Columns of a table that were recorded more seldom than its rows: empty fields between numbers.
//
//   value(t) = a + (b - a) (t - t_a) / (t_b - t_a)     between the numbers at t_a <= t <= t_b
//
// A column is such a one if it holds a number in less than half of the table's first rows, and in
// three at least. It stays nan before its first number, behind its last, and where its numbers are
// further apart than a pause. Other columns are handed out as they are.
//
// Memory: rows that wait for the next number, which is bounded; where they do not fit, the column
// is nan.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "heft/base/result.hpp"
#include "heft/log/source.hpp"
#include "readers/join.hpp"

namespace heft {

/// Column -> rows in which it was interpolated. Complete when the source has said that it is at its
/// end.
using FilledRows = std::map<std::string, std::int64_t>;

/// A source of one group, which has a clock. `filled`, which it keeps, is counted in.
SourcePtr fill_sparse_columns(SourcePtr source, const JoinOptions& options,
                              std::shared_ptr<FilledRows> filled);

}  // namespace heft
