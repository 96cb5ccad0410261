// What one block of threads does to sum products of rows, as functions of a Block: work given to block.together(work) is
// done by all kThreads threads, each with its own number, before any goes on; what a thread keeps to itself from one step to
// the next is in a Block::Own. The kernels run it with the threads of a device, tests with one thread that plays them all
// (tests/conformance/host_device.cpp).
//
// Sums of products, a slab of 32 samples a group of warps at a time:
//
//   lane = sample, warp = share   writes the rows of its channels to the slab
//   warp = units                  adds their products over the slab to sums in its registers
//   thread = entry                once, at the end: gathers the sums of each entry of the packed moments
//
// In fp32, rows and their products over a slab are fp32: adding these to fp64 sums is the flush that keeps rounding small.
#pragma once

#include "block_memory.hpp"
#include "heft/core/regressor.hpp"
#include "memory_space.hpp"
#include "sample_input.hpp"
#include "tile_products.hpp"

namespace heft::cuda {

/// A thread's place in its block.
struct ThreadPlace {
  int thread, lane, share, group;

  HEFT_HD ThreadPlace(const GramTilesView& tiles, int thread_)
      : thread(thread_),
        lane(thread_ % kLanes),
        share(thread_ / kLanes % tiles.num_shares),
        group(thread_ / kLanes / tiles.num_shares) {}
  /// Of its sample, among those that the block takes at a time.
  HEFT_HD int sample() const { return group * kSlabSamples + lane; }
};

/// Writes the rows of one sample to its place in the slab.
template <class Real>
struct SlabSink {
  const RowShareView& share;
  Real* slab;  ///< of the sample in the first column

  struct Row {
    Real* first;
    HEFT_HD void put(int k, Real value) const { first[k * kSlabStride] = value; }
  };

  HEFT_HD Row row(const core::RowEntry& entry) const {
    return {slab + share.row_columns[&entry - share.tree.rows] * kSlabStride};
  }
  HEFT_HD void put_feature(const core::FeatureEntry& entry, Real value) const {
    slab[share.feature_columns[&entry - share.tree.features] * kSlabStride] = value;
  }
  HEFT_HD void put_torque(int channel, Real value) const {
    for (int i = share.torque_begin[channel]; i < share.torque_begin[channel + 1]; ++i)
      slab[share.torque_columns[i] * kSlabStride] = value;
  }
};

/// Samples [begin, begin + samples of a block) of a task.
struct SampleRange {
  const DeviceJob& job;
  const Task& task;
  std::int64_t begin;
  const double* motion;  ///< of these samples, if the job has one

  HEFT_HD bool is_valid(int sample) const { return begin + sample < task.count; }
  /// Of the job's samples or its motion; beyond the end that of the last one.
  HEFT_HD std::int64_t index(int sample) const {
    return task.begin + (is_valid(sample) ? begin + sample : task.count - 1);
  }
  HEFT_HD core::SampleView view() const {
    return job.has_motion ? motion_samples(job.samples, job.motion.num_coordinates, motion) : job.samples;
  }
  template <class Real>
  HEFT_HD SampleInput<Real> input(const core::SampleView& view, int sample, const int* channels) const {
    return {view, job.row_scale, job.has_motion ? sample : index(sample), is_valid(sample), true, channels};
  }
};

/// Fills the slab with the rows of samples, from arrays or from a motion.
template <class Real>
struct RowsOfSamples {
  /// Before the rows, what the shares of a group share: coordinates of a motion, then angles of joints.
  template <class Block>
  HEFT_HD void prepare(const Block& block, const SampleRange& samples, double* motion,
                       const SlabMemory<Real>& memory) const {
    const DeviceJob& job = samples.job;
    if (job.has_motion)
      block.together([&](int thread) {
        const ThreadPlace place(job.tiles, thread);
        put_motion(job.motion, samples.index(place.sample()), place.sample(), place.share,
                   job.tiles.num_shares, motion);
      });
    block.together([&](int thread) {
      const ThreadPlace place(job.tiles, thread);
      const core::SampleView view = samples.view();
      const SampleInput<Real> input = samples.input<Real>(view, place.sample(), nullptr);
      const int stride = job.tiles.num_groups() * kSlabSamples;
      for (int b = place.share; b < job.tree.num_bodies; b += job.tiles.num_shares) {
        const core::BodyEntry& body = in_global(job.tree.bodies)[b];
        if (body.turn == 0) continue;
        Real sine, cosine;
        core::joint_angle<Real>(body, input, sine, cosine);
        Real* const angle = memory.angles + 2 * b * stride + place.sample();
        angle[0] = sine;
        angle[stride] = cosine;
      }
    });
  }

  HEFT_HD void put(const SampleRange& samples, const ThreadPlace& place, const SlabMemory<Real>& memory,
                   Real* slab) const {
    const RowShareView share = in_global(samples.job.shares[place.share]);
    if (share.tree.num_channels == 0) return;
    const core::SampleView view = samples.view();
    const AngledInput<Real> input{samples.input<Real>(view, place.sample(), share.channels),
                                  share.tree.bodies, share.body_indices, memory.angles + place.sample(),
                                  samples.job.tiles.num_groups() * kSlabSamples};
    StridedWorkspace<Real> workspace{memory.workspace + place.thread};
    SlabSink<Real> sink{share, slab + place.lane};
    core::put_regressor_rows<Real>(share.tree, input, workspace, sink, ShareLayout(share));
  }
};

/// Fills the slab with rows that are there already, and with zeros past the end.
struct GivenRows {
  template <class Block>
  HEFT_HD void prepare(const Block&, const SampleRange&, double*, const SlabMemory<double>&) const {}

  HEFT_HD void put(const SampleRange& samples, const ThreadPlace& place, const SlabMemory<double>&,
                   double* slab) const {
    const DeviceJob& job = samples.job;
    const double* const rows = in_global(job.given_rows) + samples.index(place.sample());
    for (int k = place.share; k < job.tiles.num_columns; k += job.tiles.num_shares)
      slab[k * kSlabStride + place.lane] =
          samples.is_valid(place.sample()) ? rows[k * job.samples.stride] : 0.0;
  }
};

/// Calls work(sums, place in memory) for a lane's pairs of sums of a warp's units; `waiting` is where these wait.
template <class Work>
HEFT_HD void for_each_pair(const TileUnit* units, double* waiting, int lane, LaneSums& own,
                           const Work& work) {
  SumPair* const places = reinterpret_cast<SumPair*>(in_global(waiting)) + lane;
  HEFT_UNROLL for (int k = 0; k < kWarpUnits; ++k) {
    const TileUnit unit = in_global(units)[k];
    HEFT_UNROLL for (int tile = 0; tile < kUnitTiles; ++tile) if (unit.has(tile))
        work(own.values[k][tile], places[(k * kUnitTiles + tile) * kLanes]);
  }
}

struct FetchPair {
  HEFT_HD void operator()(double (&sums)[2], const SumPair& place) const {
    const SumPair pair = place;
    sums[0] = pair.values[0], sums[1] = pair.values[1];
  }
};
struct KeepPair {
  HEFT_HD void operator()(const double (&sums)[2], SumPair& place) const { place = {{sums[0], sums[1]}}; }
};
struct ClearPair {
  HEFT_HD void operator()(double (&)[2], SumPair& place) const { place = {{0, 0}}; }
};

HEFT_HD void clear(LaneSums& own) {
  HEFT_UNROLL for (int k = 0; k < kWarpUnits; ++k) HEFT_UNROLL for (int tile = 0; tile < kUnitTiles; ++tile)
      own.values[k][tile][0] = own.values[k][tile][1] = 0;
}

/// Adds the products of a warp's units of one round over the slab to its sums.
template <class Real>
HEFT_HD void add_units(const TileUnit* units, const Real* slab, int lane, LaneSums& own) {
  HEFT_UNROLL for (int k = 0; k < kWarpUnits; ++k) {
    const TileUnit unit = in_global(units)[k];
    if (unit.num_rows > 0) add_unit(unit, slab, lane, own.values[k]);
  }
}

/// Entry `entry` of the packed moments: its tiles' sums in their order, the groups of each in theirs.
HEFT_HD double gather_entry(const GramTilesView& map, const double* sums, std::int64_t entry) {
  const std::int64_t group_sums = std::int64_t{map.num_places()} * kUnitSums;
  double total = 0;
  for (int i = in_global(map.entry_begin)[entry]; i < in_global(map.entry_begin)[entry + 1]; ++i)
    for (int group = 0; group < map.num_groups(); ++group)
      total += in_global(sums)[group * group_sums + in_global(map.entry_sums)[i]];
  return total;
}

/// Where the sums of a warp of place `place` wait, in a round.
HEFT_HD double* waiting_sums(const GramTilesView& map, const ThreadPlace& place, int round, double* sums) {
  return sums +
         (std::int64_t{place.group} * map.num_places() + map.first_unit(round, place.share)) * kUnitSums;
}

/// Packed moments of a task; `fill` brings the rows of samples to the slab.
template <class Real, class Block, class Fill>
HEFT_HD void sum_products(const Block& block, const DeviceJob& job, const Task& task,
                          const SlabMemory<Real>& slab, const SumMemory& memory, const Fill& fill) {
  const GramTilesView map = job.tiles;
  const int samples_at_a_time = map.num_groups() * kSlabSamples;
  const int group_scalars = map.num_columns * kSlabStride;
  const bool is_waiting = map.num_rounds > 1;  // the sums of all rounds but one
  typename Block::template Own<LaneSums> own;
  block.together([&](int thread) {
    const ThreadPlace place(map, thread);
    clear(own.of(thread));
    for (int round = 0; is_waiting && round < map.num_rounds; ++round)
      for_each_pair(map.units + map.first_unit(round, place.share),
                    waiting_sums(map, place, round, memory.sums), place.lane, own.of(thread), ClearPair{});
  });
  for (std::int64_t begin = 0; begin < task.count; begin += samples_at_a_time) {
    const SampleRange samples{job, task, begin, memory.motion};
    fill.prepare(block, samples, memory.motion, slab);
    block.together([&](int thread) {
      const ThreadPlace place(map, thread);
      fill.put(samples, place, slab, slab.slab + place.group * group_scalars);
    });
    block.together([&](int thread) {
      const ThreadPlace place(map, thread);
      const Real* const rows = slab.slab + place.group * group_scalars;
      for (int round = 0; round < map.num_rounds; ++round) {
        const TileUnit* const units = map.units + map.first_unit(round, place.share);
        double* const waiting = waiting_sums(map, place, round, memory.sums);
        if (is_waiting) for_each_pair(units, waiting, place.lane, own.of(thread), FetchPair{});
        add_units(units, rows, place.lane, own.of(thread));
        if (is_waiting) for_each_pair(units, waiting, place.lane, own.of(thread), KeepPair{});
      }
    });
  }
  block.together([&](int thread) {
    const ThreadPlace place(map, thread);
    if (!is_waiting)
      for_each_pair(map.units + map.first_unit(0, place.share), waiting_sums(map, place, 0, memory.sums),
                    place.lane, own.of(thread), KeepPair{});
  });
  block.together([&](int thread) {
    for (std::int64_t entry = thread; entry < map.packed_size; entry += kThreads)
      in_global(task.result)[entry] = gather_entry(map, memory.sums, entry);
  });
}

}  // namespace heft::cuda
