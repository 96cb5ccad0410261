// What one block of threads does for a task, as functions of a Block: work given to block.together(work) is done by all
// kThreads threads, each with its own number, before any goes on. The kernels run it with the threads of a device, tests
// with one thread that plays them all (tests/conformance/host_device.cpp); what must outlive a step lies in memory.
//
// Sums of products, a slab of kThreads samples at a time:
//
//   thread = sample          writes its rows to the slab in global scratch
//   thread = any             copies a stage of the slab to shared memory
//   thread = tile and share  adds 4x4 products over the stage, in registers, to its fp64 sums
//   thread = entry           once, at the end: gathers the sums of each entry of the packed moments
//
// In fp32, rows and products are fp32 and a stage is at most kThreads samples: adding its sums to fp64 is the flush that
// keeps rounding small.
#pragma once

#include "block_scratch.hpp"
#include "heft/core/regressor.hpp"
#include "sample_input.hpp"

namespace heft::cuda {

/// Writes the rows of one sample to the slab, panel row after panel row, the torque at the end of each.
template <class Real>
struct SlabSink {
  const core::TreeView& tree;
  const BlockScratch<Real>& scratch;
  int thread;

  struct Row {
    Real* first;
    HEFT_HD void put(int k, Real value) const { first[k * kThreads] = value; }
  };

  HEFT_HD Real* place(int panel_row, int column) const {
    return scratch.slab + std::int64_t{tree.panel_rows[panel_row].begin + column} * kThreads + thread;
  }
  HEFT_HD void put_torque(int channel, Real value) const {
    const int tail = tree.num_panel_rows - tree.num_channels + channel;
    scratch.torque[channel * kThreads + thread] = value;
    *place(tail, tree.panel_rows[tail].width - 1) = value;
  }
  HEFT_HD Row row(const core::RowEntry& entry) const {
    *place(entry.panel_row, entry.panel_width - 1) = scratch.torque[entry.channel * kThreads + thread];
    return {place(entry.panel_row, entry.panel_column)};
  }
  HEFT_HD void put_feature(const core::FeatureEntry& entry, Real value) const {
    *place(entry.panel_row, entry.panel_column) = value;
  }
};

/// Fills the slab with the rows of samples, from arrays or from a motion.
template <class Real>
struct RowsOfSamples {
  HEFT_HD void operator()(const DeviceJob& job, const Task& task, std::int64_t at, int thread,
                          const BlockScratch<Real>& scratch) const {
    const bool is_valid = at < task.count;
    core::SampleView view = job.samples;
    std::int64_t place = task.begin + (is_valid ? at : task.count - 1);
    if (job.has_motion) {
      put_motion(job.motion, place, thread, scratch.motion);
      view = motion_samples(job.samples, job.motion.num_coordinates, scratch.motion);
      place = thread;
    }
    const SampleInput<Real> input{view, job.row_scale, place, is_valid, true};
    StridedWorkspace<Real> workspace{scratch.workspace + thread};
    SlabSink<Real> sink{job.tree, scratch, thread};
    core::put_regressor_rows<Real>(job.tree, input, workspace, sink);
  }
};

/// Fills the slab with rows that are there already, and with zeros past the end.
struct GivenRows {
  HEFT_HD void operator()(const DeviceJob& job, const Task& task, std::int64_t at, int thread,
                          const BlockScratch<double>& scratch) const {
    const std::int64_t stride = job.samples.stride;
    for (std::int64_t k = 0; k < job.tiles.num_columns; ++k)
      scratch.slab[k * kThreads + thread] =
          at < task.count ? job.given_rows[k * stride + task.begin + at] : 0.0;
  }
};

/// Columns that lie side by side in the stage, of one sample.
template <class Real>
struct alignas(16) StageUnit {
  Real values[kUnit<Real>];
};

/// Copies samples [first, first + map.stage) of a batch's columns from the slab to the stage.
template <class Real>
HEFT_HD void fill_stage(const GramTilesView& map, const GramBatch& batch, int first, int thread,
                        const Real* slab, StageUnit<Real>* stage) {
  const int* const columns = map.columns + batch.first_column;
  const int sample = thread % map.stage, num_units = batch.num_columns / kUnit<Real>;
  for (int unit = thread / map.stage; unit < num_units; unit += kThreads / map.stage) {
    StageUnit<Real> values;
    for (int k = 0; k < kUnit<Real>; ++k) {
      const int column = columns[unit * kUnit<Real> + k];
      values.values[k] = column < 0 ? Real(0) : slab[std::int64_t{column} * kThreads + first + sample];
    }
    stage[stage_place<Real>(map.stage, unit, sample)] = values;
  }
}

/// The four columns of a quad at one sample.
template <class Real>
HEFT_HD void load_quad(const StageUnit<Real>* stage, int length, int quad, int sample,
                       Real (&values)[kQuad]) {
  constexpr int kUnits = kQuad / kUnit<Real>;
  for (int u = 0; u < kUnits; ++u) {
    const StageUnit<Real> unit = stage[stage_place<Real>(length, quad * kUnits + u, sample)];
    for (int k = 0; k < kUnit<Real>; ++k) values[u * kUnit<Real> + k] = unit.values[k];
  }
}

/// Adds a thread's share of the products of one tile over the stage to its sums, `stride` doubles apart.
template <class Real>
HEFT_HD void add_tile(const GramTilesView& map, const QuadTile& tile, int share, const StageUnit<Real>* stage,
                      double* sums, std::int64_t stride) {
  Real products[kQuad][kQuad] = {};
  for (int r = 0; r < tile.num_rows; ++r)
    for (int t = share; t < map.stage; t += map.num_shares) {
      Real a[kQuad], b[kQuad];
      load_quad(stage, map.stage, tile.left + r * tile.left_step, t, a);
      load_quad(stage, map.stage, tile.right + r * tile.right_step, t, b);
      for (int i = 0; i < kQuad; ++i)
        for (int j = 0; j < kQuad; ++j) products[i][j] += a[i] * b[j];
    }
  for (int i = 0; i < kQuad; ++i)
    for (int j = 0; j < kQuad; ++j) sums[(kQuad * i + j) * stride] += static_cast<double>(products[i][j]);
}

/// Entry `entry` of the packed moments: its tiles' sums in their order, the shares of each in theirs.
HEFT_HD double gather_entry(const GramTilesView& map, const double* sums, std::int64_t entry) {
  const std::int64_t stride = std::int64_t{map.num_shares} * map.num_tiles;
  double total = 0;
  for (int i = map.entry_begin[entry]; i < map.entry_begin[entry + 1]; ++i) {
    const int tile = map.entry_sums[i] / kTileSums, in_tile = map.entry_sums[i] % kTileSums;
    for (int share = 0; share < map.num_shares; ++share)
      total += sums[in_tile * stride + std::int64_t{share} * map.num_tiles + tile];
  }
  return total;
}

/// Packed moments of a task; `fill` brings the rows of kThreads samples to the slab, `stage` is kStageBytes of shared
/// memory.
template <class Real, class Block, class Fill>
HEFT_HD void sum_products(const Block& block, const DeviceJob& job, const Task& task, std::byte* memory,
                          StageUnit<Real>* stage, const Fill& fill) {
  const BlockScratch<Real> scratch(job, memory);
  const GramTilesView& map = job.tiles;
  const std::int64_t stride = std::int64_t{map.num_shares} * map.num_tiles;
  block.together([&](int thread) {
    for (std::int64_t i = thread; i < kTileSums * stride; i += kThreads) scratch.sums[i] = 0;
  });
  for (std::int64_t begin = 0; begin < task.count; begin += kThreads) {
    block.together([&](int thread) { fill(job, task, begin + thread, thread, scratch); });
    for (int b = 0; b < map.num_batches; ++b) {
      const GramBatch& batch = map.batches[b];
      for (int first = 0; first < kThreads && begin + first < task.count; first += map.stage) {
        block.together([&](int thread) { fill_stage(map, batch, first, thread, scratch.slab, stage); });
        block.together([&](int thread) {
          for (int i = thread; i < batch.num_tiles * map.num_shares; i += kThreads) {
            const int tile = batch.first_tile + i % batch.num_tiles, share = i / batch.num_tiles;
            add_tile(map, map.tiles[tile], share, stage,
                     scratch.sums + std::int64_t{share} * map.num_tiles + tile, stride);
          }
        });
      }
    }
  }
  block.together([&](int thread) {
    for (std::int64_t entry = thread; entry < map.packed_size; entry += kThreads)
      task.result[entry] = gather_entry(map, scratch.sums, entry);
  });
}

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
  const BlockScratch<double> scratch(job, memory);
  block.together([&](int thread) {
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
  const BlockScratch<double> scratch(job, memory);
  block.together([&](int thread) {
    StridedWorkspace<double> workspace{scratch.workspace + thread};
    double* const sums = scratch.torque + thread;
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
