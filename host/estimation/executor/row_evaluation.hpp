// Rows as separate arrays, for processing before they are multiplied: filters along time,
// combinations of channels. Slower than the fused kernels (lane_kernels.hpp), which never write a
// row to memory.
//
// Memory: the rows of all samples needed to filter a block (a window and its guards,
// host/data/conditioning/segment.hpp), for as many channels as fit 64 MB, at least one; and the
// output.
#pragma once

#include <vector>

#include "executor/kernels.hpp"
#include "heft/rows/backend.hpp"

namespace heft::cpu {

/// Implements Backend::evaluate_rows.
Result<Done> evaluate_rows(const RegressorPlan& plan, const Samples& samples,
                           const LaneKernels& kernels, int num_threads,
                           std::vector<RowArray>& rows);

/// Implements Backend::accumulate_rows.
void accumulate_rows(std::span<const RowsJob> jobs, const LaneKernels& kernels, int num_threads,
                     std::span<std::vector<double>> partials);

}  // namespace heft::cpu
