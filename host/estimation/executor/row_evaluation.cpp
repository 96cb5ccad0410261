#include "row_evaluation.hpp"

#include <algorithm>

#include "base/parallel_for.hpp"
#include "executor/scratch_memory.hpp"
#include "model/sample_view.hpp"
#include "rows/filtered_rows.hpp"

namespace heft::cpu {

namespace {

constexpr std::int64_t kSamplesAtATime = 1024;  ///< of one thread

/// Rows of a range of channels at every sample; `rows` has one array per channel.
void evaluate_channels(const RegressorPlan& plan, const Samples& samples, ChannelRange range,
                       const LaneKernels& kernels, int num_threads, std::vector<RowArray>& rows) {
  const core::TreeView tree = plan.view();
  const core::SampleView view = sample_view(plan, samples);
  const std::int64_t num_samples = samples.size();
  std::vector<int> widths;
  for (const std::vector<int>& columns : plan.channel_columns)
    widths.push_back(static_cast<int>(columns.size()));
  for (int c = range.first; c < range.last; ++c)
    rows[c - range.first].resize(num_samples, widths[c]);
  const std::size_t num_bytes = kernels.rows_scratch_bytes(tree, widths.data());
  const std::int64_t num_tasks = (num_samples + kSamplesAtATime - 1) / kSamplesAtATime;
  std::vector<ScratchMemory> scratch(static_cast<std::size_t>(num_threads));
  parallel_for(num_tasks, num_threads, [&](std::int64_t task, int thread) {
    const std::int64_t begin = task * kSamplesAtATime;
    std::vector<double*> places(plan.num_channels(), nullptr);
    for (int c = range.first; c < range.last; ++c)
      places[c] = rows[c - range.first].row(begin).data();
    kernels.put_rows({&tree, &view, begin,
                      static_cast<int>(std::min(num_samples - begin, kSamplesAtATime)),
                      scratch[static_cast<std::size_t>(thread)].at_least(num_bytes), widths.data(),
                      places.data()});
  });
}

}  // namespace

Result<Done> evaluate_rows(const RegressorPlan& plan, const Samples& samples,
                           const LaneKernels& kernels, int num_threads,
                           std::vector<RowArray>& rows) {
  const auto make_rows = [&](const Samples& block, ChannelRange range,
                             std::vector<RowArray>& made) {
    evaluate_channels(plan, block, range, kernels, num_threads, made);
    return Result<Done>(Done{});
  };
  return filtered_rows(plan, samples, num_threads, make_rows, rows);
}

void accumulate_rows(std::span<const RowsJob> jobs, const LaneKernels& kernels, int num_threads,
                     std::span<std::vector<double>> partials) {
  struct Task {
    std::size_t job;
    std::int64_t chunk;
    int channel;
  };
  std::vector<Task> tasks;
  for (std::size_t j = 0; j < jobs.size(); ++j) {
    partials[j].assign(jobs[j].num_chunks() * jobs[j].plan->packed_size, 0.0);
    for (std::int64_t chunk = 0; chunk < jobs[j].num_chunks(); ++chunk)
      for (int c = 0; c < jobs[j].plan->num_channels(); ++c) tasks.push_back({j, chunk, c});
  }
  std::vector<ScratchMemory> scratch(static_cast<std::size_t>(num_threads));
  parallel_for(
      static_cast<std::int64_t>(tasks.size()), num_threads, [&](std::int64_t index, int thread) {
        const Task& task = tasks[index];
        const RowsJob& job = jobs[task.job];
        const std::int64_t begin = task.chunk * job.chunk;
        const RowArray& rows = job.rows[task.channel];
        const auto width = static_cast<int>(rows.cols());
        kernels.add_products({rows.row(job.begin + begin).data(),
                              std::min<std::int64_t>(job.chunk, job.count - begin), width,
                              scratch[static_cast<std::size_t>(thread)].at_least(
                                  kernels.products_scratch_bytes(width)),
                              partials[task.job].data() + task.chunk * job.plan->packed_size +
                                  job.plan->channel_entries[task.channel].packed_offset});
      });
}

}  // namespace heft::cpu
