// Programs of a block of threads (block_programs.hpp) that compute rows without multiplying them:
// rows as arrays, and predicted torques. Every thread processes one sample after the other.
#pragma once

#include "block_memory.hpp"
#include "heft/core/inverse_dynamics.hpp"
#include "heft/core/regressor.hpp"
#include "sample_input.hpp"

namespace heft::cuda {

/// Writes a row to the array of the requested channels, column after column.
struct RowSink {
  const DeviceJob& job;
  double* rows;
  std::int64_t stride, at;

  struct Row {
    double* first;  ///< null: not requested
    std::int64_t stride;
    HEFT_HD void put(int k, double value) const {
      if (first) first[k * stride] = value;
    }
  };

  HEFT_HD Row place(int channel, int column) const {
    if (channel < job.first_channel || channel >= job.last_channel) return {nullptr, stride};
    const std::int64_t k =
        job.channel_begin[channel] - job.channel_begin[job.first_channel] + column;
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

/// The Inertias of core/inverse_dynamics.hpp.
struct KnownInertias {
  const DeviceJob& job;

  HEFT_HD const double* body(int b) const { return job.bodies + core::kNumParameters * b; }
  HEFT_HD double feature(const core::FeatureEntry& entry) const {
    return job.coefficients[job.channel_begin[entry.channel] - entry.channel + entry.column];
  }
};

/// Rows of the requested channels of a task's samples, torque last.
template <class Block>
HEFT_HD void keep_rows(const Block& block, const DeviceJob& job, const Task& task,
                       std::byte* memory) {
  const RowMemory scratch(job, memory);
  block.apart([&](int thread) {
    StridedWorkspace<double> workspace{scratch.workspace + thread};
    for (std::int64_t at = thread; at < task.count; at += kThreads) {
      const SampleInput<double> input{job.samples, job.row_scale, task.begin + at, true,
                                      job.is_weighted};
      RowSink sink{job, task.result, task.count, at};
      core::put_regressor_rows<double>(job.tree, input, workspace, sink);
    }
  });
}

/// Torques of known bodies at a task's samples, weights left aside.
template <class Block>
HEFT_HD void predict_torques(const Block& block, const DeviceJob& job, const Task& task,
                             std::byte* memory) {
  const TorqueMemory scratch(job, memory);
  const core::TorqueLayout layout(job.tree);
  const KnownInertias inertias{job};
  block.apart([&](int thread) {
    StridedWorkspace<double> workspace{scratch.workspace + thread};
    for (std::int64_t at = thread; at < task.count; at += kThreads) {
      const SampleInput<double> input{job.samples, nullptr, task.begin + at, true, false};
      core::put_torques<double>(job.tree, input, workspace, inertias);
      for (int c = 0; c < job.tree.num_channels; ++c)
        task.result[c * task.count + at] = workspace(layout.torque(c));
    }
  });
}

}  // namespace heft::cuda
