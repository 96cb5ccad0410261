// The beginning of a log, for choices that need not see all of it.
#pragma once

#include <cstdint>

#include "heft/log/source.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// The log up to its row number `most_rows`, counted over all of its groups, to be opened in one
/// format. It has no digest. Rows stay in memory with the log: further passes over the same columns
/// do not read the file. Errors: those of the log.
Log first_rows(const Log& log, std::int64_t most_rows);

}  // namespace heft
#pragma GCC visibility pop
