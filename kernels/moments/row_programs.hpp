// Programs of a block of threads (block_programs.hpp) that make rows and do not multiply them: rows as arrays, and
// predicted torques. Every thread takes one sample after the other.
#pragma once

#include "block_memory.hpp"
#include "heft/core/regressor.hpp"
#include "sample_input.hpp"

namespace heft::cuda {

/// Writes a row to where the rows of wanted channels lie, column after column.
struct RowSink {
  const DeviceJob& job;
  double* rows;
  std::int64_t stride, at;

  struct Row {
    double* first;  ///< null: nobody wants it
    std::int64_t stride;
    HEFT_HD void put(int k, double value) const {
      if (first) first[k * stride] = value;
    }
  };

  HEFT_HD Row place(int channel, int column) const {
    if (channel < job.first_channel || channel >= job.last_channel) return {nullptr, stride};
    const std::int64_t k = job.channel_begin[channel] - job.channel_begin[job.first_channel] + column;
    return {rows + k * stride + at, stride};
  }
  HEFT_HD Row row(const core::RowEntry& entry) const { return place(entry.channel, entry.column); }
  HEFT_HD void put_feature(const core::FeatureEntry& entry, double value) const {
    place(entry.channel, entry.column).put(0, value);
  }
  HEFT_HD void put_torque(int channel, double value) const {
    place(channel, job.tree.channels[channel].width - 1).put(0, value);
  }
};

/// Dots rows with coefficients instead of storing them.
struct DotSink {
  const DeviceJob& job;
  double* sums;  ///< of every channel, kThreads apart

  struct Row {
    const double* coefficients;
    double* sum;
    HEFT_HD void put(int k, double value) const { *sum += value * coefficients[k]; }
  };

  HEFT_HD Row at(int channel, int column) const {
    return {job.coefficients + job.channel_begin[channel] - channel + column, sums + channel * kThreads};
  }
  HEFT_HD Row row(const core::RowEntry& entry) const { return at(entry.channel, entry.column); }
  HEFT_HD void put_feature(const core::FeatureEntry& entry, double value) const {
    at(entry.channel, entry.column).put(0, value);
  }
  HEFT_HD void put_torque(int, double) const {}
};

/// Rows of the wanted channels of a task's samples, torque last.
template <class Block>
HEFT_HD void keep_rows(const Block& block, const DeviceJob& job, const Task& task, std::byte* memory) {
  const RowMemory scratch(job, memory);
  block.apart([&](int thread) {
    StridedWorkspace<double> workspace{scratch.workspace + thread};
    for (std::int64_t at = thread; at < task.count; at += kThreads) {
      const SampleInput<double> input{job.samples, job.row_scale, task.begin + at, true, job.is_weighted};
      RowSink sink{job, task.result, task.count, at};
      core::put_regressor_rows<double>(job.tree, input, workspace, sink);
    }
  });
}

/// Predicted torques of a task's samples, weights left aside.
template <class Block>
HEFT_HD void dot_rows(const Block& block, const DeviceJob& job, const Task& task, std::byte* memory) {
  const RowMemory scratch(job, memory);
  block.apart([&](int thread) {
    StridedWorkspace<double> workspace{scratch.workspace + thread};
    double* const sums = scratch.sums + thread;
    for (std::int64_t at = thread; at < task.count; at += kThreads) {
      for (int c = 0; c < job.tree.num_channels; ++c) sums[c * kThreads] = 0;
      const SampleInput<double> input{job.samples, nullptr, task.begin + at, true, false};
      DotSink sink{job, sums};
      core::put_regressor_rows<double>(job.tree, input, workspace, sink);
      for (int c = 0; c < job.tree.num_channels; ++c) task.result[c * task.count + at] = sums[c * kThreads];
    }
  });
}

}  // namespace heft::cuda
