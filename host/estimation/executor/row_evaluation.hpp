// Rows as arrays of their own, for work on them before they are multiplied: a filter along time, a
// mixture of channels. Slower than the fused kernels (lane_kernels.hpp), which never write a row to
// memory.
//
// Memory: the rows of all samples that a block's rows are filtered from (a window and its guards,
// host/data/conditioning/segment.hpp), of as many channels at a time as 64 MB hold, at least one;
// and what is handed out.
#pragma once

#include <vector>

#include "executor/kernels.hpp"
#include "heft/rows/backend.hpp"

namespace heft::cpu {

/// Backend::evaluate_rows.
Result<Done> evaluate_rows(const RegressorPlan& plan, const Samples& samples,
                           const LaneKernels& kernels, int num_threads,
                           std::vector<RowArray>& rows);

/// Backend::accumulate_rows.
void accumulate_rows(std::span<const RowsJob> jobs, const LaneKernels& kernels, int num_threads,
                     std::span<std::vector<double>> partials);

}  // namespace heft::cpu
