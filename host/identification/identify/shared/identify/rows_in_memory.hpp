// Logs whose rows are read once for several passes.
#pragma once

#include "heft/identify/identify.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// Returns the request with logs that keep the rows of files in memory, up to 40 MB of a log and
/// 64 MB of all of them.
IdentifyRequest with_rows_in_memory(IdentifyRequest request);

}  // namespace heft
#pragma GCC visibility pop
