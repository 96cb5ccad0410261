// Launchers of the kernels for moments, rows and predictions, as backend_cuda.cpp calls them.
#pragma once

#include <cuda_runtime.h>

#include "heft/core/sample_view.hpp"
#include "heft/core/tree.hpp"

namespace heft::cuda {

/// One job on the device: tables, samples, and where the partial sums go.
struct DeviceJob {
  core::TreeView tree;
  core::SampleView samples;
  std::int64_t begin, count;
  int chunk;                   ///< samples of a chunk
  double* partials;            ///< ceil(count / chunk) * packed_size
  const double* coefficients;  ///< prediction: channel after channel, width - 1 numbers each
  double* torque;              ///< prediction: count x num_channels, column after column
  double* rows;  ///< that are kept or given: channel after channel, column after column, count long
};

/// A chunk of a job; one block sums one chunk.
struct DeviceTask {
  int job;
  std::int64_t chunk;
};

/// Doubles of global scratch that one block needs for this tree; a launch takes the largest of its jobs'.
std::int64_t scratch_per_block(const core::TreeView& tree);

/// A batch on the device: what to do, scratch for every block, and the grid.
struct Launch {
  const DeviceJob* d_jobs;
  const DeviceTask* d_tasks;
  int num_tasks;
  double* d_scratch;  ///< num_blocks * scratch_stride doubles
  std::int64_t scratch_stride;
  int num_blocks;
  cudaStream_t stream;
};

/// Asynchronous, on the launch's stream; errors are those of the launch itself.
cudaError_t launch_accumulate_moments(const Launch& launch);
cudaError_t launch_evaluate_rows(const Launch& launch);    ///< into job.rows, at weight one, without torque
cudaError_t launch_accumulate_rows(const Launch& launch);  ///< of job.rows, sample 0 being job.begin
cudaError_t launch_predict(const Launch& launch);

}  // namespace heft::cuda
