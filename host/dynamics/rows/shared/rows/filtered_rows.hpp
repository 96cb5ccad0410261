// Rows of a block of samples as Backend::evaluate_rows hands them out, whichever backend makes
// them: at the block's samples or, where the torque went through a low-pass, at its unfiltered ones
// and then through the same filter.
//
// Memory: the unfiltered rows of as many channels at a time as channel_range.hpp allows, and what
// is handed out.
#pragma once

#include <functional>
#include <vector>

#include "heft/rows/backend.hpp"
#include "rows/channel_range.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// Makes the rows of the channels of a range at every sample; fills one array a channel of the
/// range.
using MakeRows = std::function<Result<Done>(const Samples&, ChannelRange, std::vector<RowArray>&)>;

/// Rows of all channels of the plan; they are filtered by `num_threads` threads. Errors of
/// make_rows.
Result<Done> filtered_rows(const RegressorPlan& plan, const Samples& samples, int num_threads,
                           const MakeRows& make_rows, std::vector<RowArray>& rows);

}  // namespace heft
#pragma GCC visibility pop
