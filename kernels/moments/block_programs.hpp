// Steps by which one block of threads sums products of rows, as functions of a Block. All kThreads
// threads run the work given to block.together(work), each with its own number, before any
// continues; with block.apart(work), no thread waits until block.wait(). Data that a thread keeps
// between steps are in a Block::Own. The kernels run these functions with the threads of a device,
// tests with one thread that emulates all of them (tests/conformance/host_device.cpp).
//
// Sums of products, for one slab of 32 samples per group of warps at a time:
//
//   warp = share of joints        fetches what all need of them, for its group
//   lane = sample, warp = share   writes the rows of its channels to the slab
//   warp = units                  adds their products over the slab to sums in its registers; of
//                                 wide units (gram_tiles.hpp) over two slabs, to sums in memory
//   thread = entry                once, at the end: gathers the sums of each entry of the packed
//                                 moments
//
// In fp32, rows are fp32. Their products are exact where fp64 tensor cores sum them; elsewhere
// products over a slab are summed in fp32, and adding them to fp64 sums limits rounding errors.
#pragma once

#include "block_memory.hpp"
#include "heft/core/regressor.hpp"
#include "memory_space.hpp"
#include "sample_input.hpp"
#include "tile_products.hpp"

namespace heft::cuda {

/// Position of a thread in its block.
struct ThreadPlace {
  int thread, lane, share, group;

  HEFT_HD ThreadPlace(const GramTilesView& tiles, int thread_)
      : thread(thread_),
        lane(thread_ % kLanes),
        share(thread_ / kLanes % tiles.num_shares),
        group(thread_ / kLanes / tiles.num_shares) {}
  /// Index of its sample among those that the block processes at a time.
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
  /// Index in the job's samples or its motion; beyond the end, that of the last one.
  HEFT_HD std::int64_t index(int sample) const {
    return task.begin + (is_valid(sample) ? begin + sample : task.count - 1);
  }
  HEFT_HD core::SampleView view() const {
    return job.has_motion ? motion_samples(job.samples, job.motion.num_coordinates, motion)
                          : job.samples;
  }
  template <class Real>
  HEFT_HD SampleInput<Real> input(const core::SampleView& view, int sample) const {
    return {view, job.row_scale, job.has_motion ? sample : index(sample), is_valid(sample), true};
  }
};

/// Fills the slab with the rows of samples, from arrays or from a motion.
template <class Real>
struct RowsOfSamples {
  /// Runs before all samples of a task: copies the bodies of the shares, by the warps of each
  /// share.
  template <class Block>
  HEFT_HD void begin(const Block& block, const DeviceJob& job,
                     const SlabMemory<Real>& memory) const {
    typedef std::int64_t __attribute__((may_alias)) Word;  // what is copied is of another type
    static_assert(sizeof(core::BodyEntry) % sizeof(Word) == 0);
    block.apart([&](int thread) {
      const ThreadPlace place(job.tiles, thread);
      const RowShareView& share = job.shares[place.share];
      const auto* const from = reinterpret_cast<const Word*>(in_global(share.tree.bodies));
      auto* const to = reinterpret_cast<Word*>(memory.bodies_of(job, place.share));
      const int num_words =
          share.tree.num_bodies * static_cast<int>(sizeof(core::BodyEntry) / sizeof(Word));
      const int step = job.tiles.num_groups() * kLanes;
      for (int i = place.group * kLanes + place.lane; i < num_words; i += step) to[i] = from[i];
    });
  }

  /// Runs before the rows and computes the data common to the shares of a group: coordinates of a
  /// motion, then the numbers of joints. When it returns, no thread reads the slab.
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
      const SampleInput<Real> input = samples.input<Real>(view, place.sample());
      const JointNumbers<Real> joints = memory.joints_of(job, place.sample());
      for (int b = place.share; b < job.tree.num_bodies; b += job.tiles.num_shares) {
        const core::BodyEntry& body = in_global(job.tree.bodies)[b];
        if (body.turn == 0) continue;
        Real sine, cosine;
        core::joint_angle<Real>(body, input, sine, cosine);
        joints.sine(b) = sine;
        joints.cosine(b) = cosine;
      }
      for (int k = place.share; k < job.tree.num_coordinates; k += job.tiles.num_shares) {
        joints.velocity(k) = input.velocity(k);
        joints.acceleration(k) = input.acceleration(k);
      }
    });
  }

  HEFT_HD void put(const SampleRange& samples, const ThreadPlace& place,
                   const SlabMemory<Real>& memory, Real* slab) const {
    RowShareView share = in_global(samples.job.shares[place.share]);
    share.tree.bodies = memory.bodies_of(samples.job, place.share);
    const core::SampleView view = samples.view();
    const JointInput<Real> input{samples.input<Real>(view, place.sample()), share.channels,
                                 share.tree.bodies, share.body_indices,
                                 memory.joints_of(samples.job, place.sample())};
    StridedWorkspace<Real> workspace{memory.workspace + place.thread};
    SlabSink<Real> sink{share, slab + place.lane};
    core::put_regressor_rows<Real>(share.tree, input, workspace, sink, ShareLayout(share));
  }
};

/// Fills the slab with existing rows, and with zeros past the end.
struct GivenRows {
  template <class Block>
  HEFT_HD void begin(const Block&, const DeviceJob&, const SlabMemory<double>&) const {}

  template <class Block>
  HEFT_HD void prepare(const Block& block, const SampleRange&, double*,
                       const SlabMemory<double>&) const {
    block.wait();
  }

  HEFT_HD void put(const SampleRange& samples, const ThreadPlace& place, const SlabMemory<double>&,
                   double* slab) const {
    const DeviceJob& job = samples.job;
    const double* const rows = in_global(job.given_rows) + samples.index(place.sample());
    for (int k = place.share; k < job.tiles.num_columns; k += job.tiles.num_shares)
      slab[k * kSlabStride + place.lane] =
          samples.is_valid(place.sample()) ? rows[k * job.samples.stride] : 0.0;
  }
};

/// A warp's units of a round, and the position of its group's sums in memory.
struct WarpUnits {
  const TileUnit* units;
  double* sums;

  HEFT_HD WarpUnits(const GramTilesView& map, const ThreadPlace& place, int round,
                    double* sums_of_groups)
      : units(in_global(map.units) + map.first_unit(round, place.share)),
        sums(sums_of_groups + place.group * map.num_sums()) {}
  /// Calls work(sums, place in memory) for a lane's pairs of sums.
  template <class Work>
  HEFT_HD void for_each_pair(int lane, LaneSums& own, const Work& work) const {
    HEFT_UNROLL for (int k = 0; k < kWarpUnits; ++k) {
      const TileUnit unit = units[k];
      SumPair* place = pairs_of(unit, sums, lane);
      HEFT_UNROLL for (int n = 0; n < 2; ++n)
          HEFT_UNROLL for (int m = 0; m < 2; ++m) if (unit.has(m, n)) {
        work(own.values[k][2 * m + n], *place);
        place += kLanes;
      }
    }
  }
  /// Adds their products over the slab to a lane's sums.
  template <class Real>
  HEFT_HD void add_products(const Real* slab, int lane, LaneSums& own) const {
    HEFT_UNROLL for (int k = 0; k < kWarpUnits; ++k) {
      const TileUnit unit = units[k];
      add_unit(unit, slab, lane, own.values[k]);
    }
  }
};

struct FetchPair {
  HEFT_HD void operator()(double (&sums)[2], const SumPair& place) const {
    const SumPair pair = place;
    sums[0] = pair.values[0], sums[1] = pair.values[1];
  }
};
struct KeepPair {
  HEFT_HD void operator()(const double (&sums)[2], SumPair& place) const {
    place = {{sums[0], sums[1]}};
  }
};
struct ClearPair {
  HEFT_HD void operator()(double (&)[2], SumPair& place) const { place = {{0, 0}}; }
};

HEFT_HD void clear(LaneSums& own) {
  HEFT_UNROLL for (int k = 0; k < kWarpUnits; ++k)
      HEFT_UNROLL for (int tile = 0; tile < kUnitTiles; ++tile)
          own.values[k][tile][0] = own.values[k][tile][1] = 0;
}

/// Entry `entry` of the packed moments: its tiles' sums in their order, the groups of each in
/// theirs.
HEFT_HD double gather_entry(const GramTilesView& map, const double* sums, std::int64_t entry) {
  const int* const list = in_global(map.list_begin) + entry / kLanes;
  const int end = list[1];
  double total = 0;
  for (int i = list[0] + static_cast<int>(entry % kLanes); i < end; i += kLanes) {
    const int sum = in_global(map.entry_sums)[i];
    if (sum == kNoSum) break;
    for (int group = 0; group < map.num_groups(); ++group)
      total += sums[group * map.num_sums() + sum];
  }
  return total;
}

/// Packed moments from the sums of all groups.
template <class Block>
HEFT_HD void gather(const Block& block, const GramTilesView& map, const double* sums,
                    double* result) {
  block.together([&](int thread) {
    for (std::int64_t entry = thread; entry < map.packed_size; entry += kThreads)
      in_global(result)[entry] = gather_entry(map, sums, entry);
  });
}

/// Packed moments of a task from products of wide units, whose sums wait in memory.
template <class Real, class Block, class Fill>
HEFT_HD void sum_wide_products(const Block& block, const DeviceJob& job, const Task& task,
                               const SlabMemory<Real>& slab, const SumMemory& memory,
                               const Fill& fill) {
  const GramTilesView map = job.tiles;
  const int samples_of_slab = map.num_groups() * kSlabSamples;
  const int group_scalars = map.num_columns * kSlabStride;
  const int slab_scalars = map.num_groups() * group_scalars;
  double* const sums = in_global(memory.sums);
  block.apart([&](int thread) {
    const std::int64_t num_sums = map.num_groups() * map.num_sums();
    for (std::int64_t i = thread; i < num_sums; i += kThreads) sums[i] = 0;
  });
  fill.begin(block, job, slab);
  for (std::int64_t begin = 0; begin < task.count; begin += kWideSlabs * samples_of_slab) {
    int num_slabs = 0;
    for (; num_slabs < kWideSlabs && begin + num_slabs * samples_of_slab < task.count;
         ++num_slabs) {
      const SampleRange samples{job, task, begin + num_slabs * samples_of_slab, memory.motion};
      fill.prepare(block, samples, memory.motion, slab);
      block.together([&](int thread) {
        const ThreadPlace place(map, thread);
        fill.put(samples, place, slab,
                 slab.slab + num_slabs * slab_scalars + place.group * group_scalars);
      });
    }
    block.apart([&](int thread) {
      const ThreadPlace place(map, thread);
      for (int round = 0; round < map.num_rounds; ++round) {
        const WarpUnits units(map, place, round, sums);
        const TileUnit unit = units.units[0];
        add_wide_unit(unit, slab.slab + place.group * group_scalars, slab_scalars, num_slabs,
                      place.lane, pairs_of(unit, units.sums, place.lane));
      }
    });
  }
  block.wait();
  gather(block, map, sums, task.result);
}

/// Packed moments of a task from products of squares; `fill` brings the rows of samples to the slab
/// in shared memory, where the sums are gathered after its last use, if they fit.
template <class Real, class Block, class Fill>
HEFT_HD void sum_products(const Block& block, const DeviceJob& job, const Task& task,
                          const SlabMemory<Real>& slab, const SumMemory& memory, const Fill& fill) {
  const GramTilesView map = job.tiles;
  const int samples_at_a_time = map.num_groups() * kSlabSamples;
  const int group_scalars = map.num_columns * kSlabStride;
  const bool is_waiting = map.num_rounds > 1;  // the sums of all rounds but one
  double* const sums = in_global(memory.sums);
  typename Block::template Own<LaneSums> own;
  block.apart([&](int thread) {
    const ThreadPlace place(map, thread);
    clear(own.of(thread));
    for (int round = 0; is_waiting && round < map.num_rounds; ++round)
      WarpUnits(map, place, round, sums).for_each_pair(place.lane, own.of(thread), ClearPair{});
  });
  fill.begin(block, job, slab);
  for (std::int64_t begin = 0; begin < task.count; begin += samples_at_a_time) {
    const SampleRange samples{job, task, begin, memory.motion};
    fill.prepare(block, samples, memory.motion, slab);
    block.together([&](int thread) {
      const ThreadPlace place(map, thread);
      fill.put(samples, place, slab, slab.slab + place.group * group_scalars);
    });
    block.apart([&](int thread) {
      const ThreadPlace place(map, thread);
      const Real* const rows = slab.slab + place.group * group_scalars;
      for (int round = 0; round < map.num_rounds; ++round) {
        const WarpUnits units(map, place, round, sums);
        if (is_waiting) units.for_each_pair(place.lane, own.of(thread), FetchPair{});
        units.add_products(rows, place.lane, own.of(thread));
        if (is_waiting) units.for_each_pair(place.lane, own.of(thread), KeepPair{});
      }
    });
  }
  block.wait();
  if (is_waiting) return gather(block, map, sums, task.result);
  const auto keep_and_gather = [&](double* place_of_sums) {
    block.together([&](int thread) {
      const ThreadPlace place(map, thread);
      WarpUnits(map, place, 0, place_of_sums).for_each_pair(place.lane, own.of(thread), KeepPair{});
    });
    gather(block, map, place_of_sums, task.result);
  };
  keep_and_gather(slab.sums ? slab.sums : sums);
}

}  // namespace heft::cuda
