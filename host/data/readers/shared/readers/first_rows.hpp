// The beginning of a log, for decisions that do not need all of it.
#pragma once

#include <cstdint>

#include "heft/log/source.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// Returns the log up to row `most_rows`, counted over all groups; it must be opened with one
/// format only and has no digest. Rows stay in memory with the log: further passes over the same
/// columns do not read the file. Errors: those of the log.
Log first_rows(const Log& log, std::int64_t most_rows);

}  // namespace heft
#pragma GCC visibility pop
