// Packed moments of chunks of samples or of given rows, rows as arrays, and predicted torques. Rows on their own are
// for work on them before they are multiplied (a filter along time): evaluate, filter on the host, accumulate.
//
// Mapping. A persistent grid; each block takes tasks (chunks of samples of one job) in
// turn. For every sub-block of kThreads samples: thread = sample writes the rows of all channels to the
// block's slab in global scratch (it stays in L2); then thread = 4x4 tile of a channel's outer product sums
// over the sub-block. The order of summation within a chunk is the order of samples, whatever the grid;
// chunks merge on the host in the order of FORMULAS 7.
//
// Budget. 16 accumulators and 8 operands of fp64 a thread in the tile loop; no shared memory; scratch per
// block = kThreads * (9 bodies + 6 rows + sum of row widths) doubles. Double precision throughout.
#include "kernels/accumulate_moments.cuh"
#include "kernels/gram_tiles.hpp"
#include "kernels/sample_input.cuh"

namespace heft::cuda {

namespace {

constexpr int kThreads = 128;

__host__ __device__ std::int64_t slab_columns(const core::TreeView& tree) {
  std::int64_t columns = 0;
  for (int c = 0; c < tree.num_channels; ++c) columns += tree.channels[c].width;
  return columns;
}

/// Writes a row entry to [channel][column][sample], columns `stride` samples long.
struct RowSink {
  const core::TreeView& tree;
  double* rows;
  std::int64_t stride, at;

  struct Row {
    double* first;
    std::int64_t stride;
    __device__ void put(int k, double value) const { first[k * stride] = value; }
  };

  __device__ double* place(int channel, int column) const {
    return rows + slab_offset(tree, channel, stride) + column * stride + at;
  }
  __device__ Row row(const core::RowEntry& entry) const {
    return {place(entry.channel, entry.column), stride};
  }
  __device__ void put_feature(const core::FeatureEntry& entry, double value) const {
    *place(entry.channel, entry.column) = value;
  }
  __device__ void put_torque(int channel, double value) const {
    *place(channel, tree.channels[channel].width - 1) = value;
  }
};

/// Dots rows with coefficients; sums lie in slab[channel][0][sample].
struct DotSink {
  const core::TreeView& tree;
  const double* coefficients;
  double* sums;
  int thread;

  struct Row {
    const double* coefficients;
    double* sum;
    __device__ void put(int k, double value) const { *sum += value * coefficients[k]; }
  };

  __device__ Row at(int channel, int column) const {
    std::int64_t first = column;
    for (int c = 0; c < channel; ++c) first += tree.channels[c].width - 1;
    return {coefficients + first, sums + static_cast<std::int64_t>(channel) * kThreads + thread};
  }
  __device__ Row row(const core::RowEntry& entry) const { return at(entry.channel, entry.column); }
  __device__ void put_feature(const core::FeatureEntry& entry, double value) const {
    at(entry.channel, entry.column).put(0, value);
  }
  __device__ void put_torque(int, double) const {}
};

/// Adds one tile's products over the sub-block to the packed moments of the chunk.
__device__ void add_tile(const core::TreeView& tree, const GramTile& tile, const double* slab,
                         double* packed) {
  const core::ChannelEntry& channel = tree.channels[tile.channel];
  const double* rows = slab + slab_offset(tree, tile.channel, kThreads);
  double sum[kTile][kTile] = {};
  for (int t = 0; t < kThreads; ++t) {
    double left[kTile], right[kTile];
#pragma unroll
    for (int i = 0; i < kTile; ++i) {
      left[i] =
          tile.row + i < channel.width ? rows[static_cast<std::int64_t>(tile.row + i) * kThreads + t] : 0.0;
      right[i] = tile.column + i < channel.width
                     ? rows[static_cast<std::int64_t>(tile.column + i) * kThreads + t]
                     : 0.0;
    }
#pragma unroll
    for (int i = 0; i < kTile; ++i)
#pragma unroll
      for (int j = 0; j < kTile; ++j) sum[i][j] += left[i] * right[j];
  }
#pragma unroll
  for (int i = 0; i < kTile; ++i)
#pragma unroll
    for (int j = 0; j < kTile; ++j) {
      const int row = tile.row + i, column = tile.column + j;
      if (row <= column && column < channel.width)
        packed[channel.packed_offset + core::packed_index(channel.width, row, column)] += sum[i][j];
    }
}

/// Fills the slab from the samples: thread = sample.
struct RowsOfSamples {
  __device__ void operator()(const DeviceJob& job, std::int64_t at, std::int64_t chunk_end, double* workspace,
                             double* slab) const {
    const int thread = static_cast<int>(threadIdx.x);
    const SampleInput input{job.samples, min(at, chunk_end - 1), at < chunk_end};
    StridedWorkspace ws{workspace + thread, kThreads};
    RowSink sink{job.tree, slab, kThreads, thread};
    core::put_regressor_rows<double>(job.tree, input, ws, sink);
  }
};

/// Fills the slab with rows that are there already, and with zeros past the end.
struct GivenRows {
  __device__ void operator()(const DeviceJob& job, std::int64_t at, std::int64_t chunk_end, double*,
                             double* slab) const {
    const std::int64_t columns = slab_columns(job.tree);
    for (std::int64_t k = 0; k < columns; ++k)
      slab[k * kThreads + threadIdx.x] = at < chunk_end ? job.rows[k * job.count + at - job.begin] : 0.0;
  }
};

/// Sums the products of rows, chunk after chunk; `fill` brings the rows of kThreads samples to the slab.
template <class Fill>
__device__ void accumulate_chunks(const Launch& launch, const Fill& fill) {
  double* const workspace = launch.d_scratch + blockIdx.x * launch.scratch_stride;
  const int thread = static_cast<int>(threadIdx.x);
  for (int index = static_cast<int>(blockIdx.x); index < launch.num_tasks;
       index += static_cast<int>(gridDim.x)) {
    const DeviceTask task = launch.d_tasks[index];
    const DeviceJob& job = launch.d_jobs[task.job];
    const core::TreeView& tree = job.tree;
    double* const slab = workspace + static_cast<std::int64_t>(core::workspace_size(tree)) * kThreads;
    double* const packed = job.partials + task.chunk * tree.packed_size;
    for (std::int64_t i = thread; i < tree.packed_size; i += kThreads) packed[i] = 0.0;
    const std::int64_t chunk_begin = job.begin + task.chunk * job.chunk;
    const std::int64_t job_end = job.begin + job.count;
    const std::int64_t chunk_end = min(chunk_begin + job.chunk, job_end);

    for (std::int64_t begin = chunk_begin; begin < chunk_end; begin += kThreads) {
      fill(job, begin + thread, chunk_end, workspace, slab);
      __syncthreads();
      int first_tile = 0;
      for (int c = 0; c < tree.num_channels; ++c) {
        const int width = tree.channels[c].width;
        const int tiles = num_tiles(width);
        // tiles of consecutive channels go on to consecutive threads
        for (int t = (thread - first_tile % kThreads + kThreads) % kThreads; t < tiles; t += kThreads)
          add_tile(tree, gram_tile(c, width, t), slab, packed);
        first_tile += tiles;
      }
      __syncthreads();
    }
  }
}

__global__ void accumulate_moments_kernel(Launch launch) {
  accumulate_chunks(launch, RowsOfSamples{});
}

__global__ void accumulate_rows_kernel(Launch launch) {
  accumulate_chunks(launch, GivenRows{});
}

/// Calls work(job, sample, workspace of the block) for every sample: thread = sample.
template <class Work>
__device__ void for_each_sample(const Launch& launch, const Work& work) {
  double* const workspace = launch.d_scratch + blockIdx.x * launch.scratch_stride;
  for (int index = static_cast<int>(blockIdx.x); index < launch.num_tasks;
       index += static_cast<int>(gridDim.x)) {
    const DeviceTask task = launch.d_tasks[index];
    const DeviceJob& job = launch.d_jobs[task.job];
    const std::int64_t chunk_begin = task.chunk * job.chunk;
    const std::int64_t chunk_end = min(chunk_begin + job.chunk, job.count);
    for (std::int64_t at = chunk_begin + threadIdx.x; at < chunk_end; at += kThreads)
      work(job, at, workspace);
  }
}

struct KeepRows {
  __device__ void operator()(const DeviceJob& job, std::int64_t at, double* workspace) const {
    const UnweightedInput input{{job.samples, job.begin + at, true}};
    StridedWorkspace ws{workspace + threadIdx.x, kThreads};
    RowSink sink{job.tree, job.rows, job.count, at};
    core::put_regressor_rows<double>(job.tree, input, ws, sink);
  }
};

struct DotRows {
  __device__ void operator()(const DeviceJob& job, std::int64_t at, double* workspace) const {
    const core::TreeView& tree = job.tree;
    const int thread = static_cast<int>(threadIdx.x);
    double* const sums = workspace + static_cast<std::int64_t>(core::workspace_size(tree)) * kThreads;
    for (int c = 0; c < tree.num_channels; ++c) sums[static_cast<std::int64_t>(c) * kThreads + thread] = 0.0;
    const UnweightedInput input{{job.samples, job.begin + at, true}};
    StridedWorkspace ws{workspace + thread, kThreads};
    DotSink sink{tree, job.coefficients, sums, thread};
    core::put_regressor_rows<double>(tree, input, ws, sink);
    for (int c = 0; c < tree.num_channels; ++c)
      job.torque[c * job.count + at] = sums[static_cast<std::int64_t>(c) * kThreads + thread];
  }
};

__global__ void evaluate_rows_kernel(Launch launch) {
  for_each_sample(launch, KeepRows{});
}

__global__ void predict_kernel(Launch launch) {
  for_each_sample(launch, DotRows{});
}

}  // namespace

std::int64_t scratch_per_block(const core::TreeView& tree) {
  return static_cast<std::int64_t>(kThreads) * (core::workspace_size(tree) + slab_columns(tree));
}

cudaError_t launch_accumulate_moments(const Launch& launch) {
  accumulate_moments_kernel<<<launch.num_blocks, kThreads, 0, launch.stream>>>(launch);
  return cudaGetLastError();
}

cudaError_t launch_evaluate_rows(const Launch& launch) {
  evaluate_rows_kernel<<<launch.num_blocks, kThreads, 0, launch.stream>>>(launch);
  return cudaGetLastError();
}

cudaError_t launch_accumulate_rows(const Launch& launch) {
  accumulate_rows_kernel<<<launch.num_blocks, kThreads, 0, launch.stream>>>(launch);
  return cudaGetLastError();
}

cudaError_t launch_predict(const Launch& launch) {
  predict_kernel<<<launch.num_blocks, kThreads, 0, launch.stream>>>(launch);
  return cudaGetLastError();
}

}  // namespace heft::cuda
