// Rows of a block of samples in the form of Backend::evaluate_rows, for any backend: at the samples
// of the block or, if the torque was low-passed, at the unfiltered samples and then through the
// same filter.
//
// Memory: unfiltered rows of as many channels at a time as channel_range.hpp allows, and the
// result.
#pragma once

#include <functional>
#include <vector>

#include "heft/rows/backend.hpp"
#include "rows/channel_range.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// Computes the rows of a range of channels at every sample, one array per channel.
using MakeRows = std::function<Result<Done>(const Samples&, ChannelRange, std::vector<RowArray>&)>;

/// Computes the rows of all channels of the plan; `num_threads` threads filter them. Errors: those
/// of make_rows.
Result<Done> filtered_rows(const RegressorPlan& plan, const Samples& samples, int num_threads,
                           const MakeRows& make_rows, std::vector<RowArray>& rows);

}  // namespace heft
#pragma GCC visibility pop
