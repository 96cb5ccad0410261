// The CPU's loops over one chunk of samples: lanes = samples. Compiled once per instruction set by
// lanes_*.cpp, each in its own namespace; otherwise the linker keeps one copy, possibly for an
// instruction set that the machine lacks.
//
// Accumulate: the rows of a block of samples are written to a slab, ordered by panel
// (core/tree.hpp), row and pack; then the tiles of the program (gram_program.hpp) sum products over
// slices of the slab. The second-level cache limits the length of a block, to at most 120 samples
// in the summed form (240 in fp32), 240 per channel (480). A lane of an fp32 tile sums the products
// of one slice, at most 28 KB, before adding to fp64.
//
// The including file defines HEFT_CPU_TARGET (namespace) and HEFT_CPU_PACK_BYTES (of a register).
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "executor/pack_functions.hpp"
// core/ finds the functions of packs by name when it is instantiated
#include "executor/kernels.hpp"
#include "heft/core/inverse_dynamics.hpp"
#include "heft/core/regressor.hpp"
#include "lane_input.hpp"
#include "motion_block.hpp"
#include "padded_samples.hpp"
#include "peak_kernel.hpp"
#include "row_kernels.hpp"
#include "scratch_layout.hpp"
#include "tile_kernels.hpp"
#include "torque_changes_kernel.hpp"

namespace heft::cpu::HEFT_CPU_TARGET {

/// Number of packs of samples in a full block: enough to make horizontal sums rare, and few enough
/// to fit the second-level cache. Per channel a tile uses one row, so a block is twice as long.
/// Odd, so that a panel's rows use different sets of the first-level cache. The last block of a
/// chunk may be shorter.
template <class Real>
int packs_per_block(const GramProgram& program) {
  constexpr int kSlabBytes = 1 << 20;
  constexpr int kMin = 7;
  const int max_samples = (sizeof(Real) == sizeof(float) ? 240 : 120) * (program.is_summed ? 1 : 2);
  const int max = max_samples / Pack<Real>::kLanes;
  const int fitting = kSlabBytes / (program.slab_size * kPackBytes);
  const int packs = fitting < kMin ? kMin : fitting > max ? max : fitting;
  return (packs - 1) | 1;
}

/// Writes the rows of one pack of samples to the slab. Each row has an address; all advance
/// together from pack to pack.
template <class Real>
struct SlabSink {
  using P = Pack<Real>;
  std::uintptr_t* places;  ///< one per entry of GramProgram::slab_places: destination of the pack
  std::uintptr_t* steps;   ///< distance to the next pack in bytes
  int num_places, first_torque;

  struct Row {
    P* first;
    void put(int k, const P& value) const { first[k] = value; }
  };

  P* at(int place) const { return reinterpret_cast<P*>(places[place]); }
  Row row(const core::RowEntry& entry) const { return {at(entry.panel_row)}; }
  void put_torque(int channel, const P& value) const { *at(first_torque + channel) = value; }
  void put_feature(const core::FeatureEntry& entry, const P& value) const {
    *at(entry.panel_row) = value;
  }

  /// Returns to the beginning of a block with this many packs.
  void rewind(const GramProgram& program, P* slab, int num_packs) const {
    for (int i = 0; i < num_places; ++i) {
      const SlabPlace place =
          i < program.num_places() ? program.slab_places[i] : SlabPlace{{0, 0}, 0};
      const std::ptrdiff_t first =
          static_cast<std::ptrdiff_t>(place.column.begin) * num_packs + place.column.column;
      places[i] = reinterpret_cast<std::uintptr_t>(slab + first);
      steps[i] = static_cast<std::size_t>(place.stride) * sizeof(P);
    }
  }
  void advance() const {
    for (int i = 0; i < num_places; i += kTogether)
#ifndef __clang__
#pragma GCC ivdep
#endif
      for (int k = i; k < i + kTogether; ++k) places[k] += steps[k];
  }

  static constexpr int kTogether = 8;  ///< places that advance in one or a few instructions
  static int padded_places(const GramProgram& program) {
    return (program.num_places() + kTogether - 1) / kTogether * kTogether;
  }
};

/// Scratch memory of a chunk.
template <class Real>
struct Scratch {
  Pack<Real>*workspace, *sines, *slab;
  std::uintptr_t *places, *steps;  ///< of SlabSink
  double* sums;                    ///< of tiles, then one that stays zero
  double *motion, *tail;
  std::size_t num_bytes;

  /// Lays out the memory from `memory` on; its size does not depend on the address.
  Scratch(const core::TreeView& tree, const GramProgram& program, void* memory) {
    ScratchLayout layout(memory);
    layout.take(workspace, core::workspace_size(tree));
    layout.take(sines, 2 * tree.num_bodies);
    layout.take(slab,
                static_cast<std::int64_t>(program.slab_size) * packs_per_block<Real>(program));
    layout.take(places, SlabSink<Real>::padded_places(program));
    layout.take(steps, SlabSink<Real>::padded_places(program));
    layout.take(sums, program.num_sums + 1);
    layout.take(motion, motion_block_size(tree.num_coordinates,
                                          packs_per_block<Real>(program) * Pack<Real>::kLanes));
    layout.take(tail, padded_samples_size(tree, Pack<Real>::kLanes));
    num_bytes = layout.num_bytes();
  }
};

template <class Real>
std::size_t scratch_bytes(const core::TreeView& tree, const GramProgram& program) {
  return Scratch<Real>(tree, program, nullptr).num_bytes;
}

/// Adds the products of a block of `num_packs` packs of samples, slice by slice (gram_program.hpp).
template <class Real>
void run_tiles(const GramProgram& program, const Pack<Real>* slab, int num_packs, double* sums) {
  const GramTile* const tiles = program.tiles.data();
  const auto packs_of = [&](const SlabColumn& column) {
    return slab + static_cast<std::ptrdiff_t>(column.begin) * num_packs + column.column;
  };
  for (const GramGroup& group : program.groups) {
    const GramPair* const pairs = program.pairs.data();
    const int num_steps = pairs[group.first_pair].num_rows * num_packs;
    const int num_slices = (num_steps + group.max_packs - 1) / group.max_packs;
    for (int slice = 0; slice < num_slices; ++slice) {
      const auto begin_of = [&](int i) {
        return static_cast<std::ptrdiff_t>(std::int64_t{num_steps} * i / num_slices);
      };
      const std::ptrdiff_t begin = begin_of(slice);
      const int count = static_cast<int>(begin_of(slice + 1) - begin);
      for (int i = group.first_pair; i < group.end_pair; ++i) {
        const GramPair& pair = pairs[i];
        const Pack<Real>* const left = packs_of(pair.left) + begin * pair.strides.left;
        const Pack<Real>* const right = packs_of(pair.right) + begin * pair.strides.right;
        const Pack<Real>* const torque = packs_of(pair.torque) + begin * pair.strides.torque;
        double* const sums_of_pair = sums + pair.first_sum;
        for (int t = pair.first_tile; t < pair.end_tile; ++t)
          tiles[t].function(left + tiles[t].left_column, right + tiles[t].right_column, torque,
                            pair.strides, count, sums_of_pair + tiles[t].first_sum);
      }
    }
  }
}

template <class Real>
void accumulate_chunk(const ChunkTask& task) {
  constexpr int kLanes = Pack<Real>::kLanes;
  const GramProgram& program = *task.program;
  core::TreeView tree = *task.tree;
  const Scratch<Real> scratch(tree, program, task.scratch);
  tree.rows = program.rows.data(), tree.features = program.features.data();
  const int packs_in_block = packs_per_block<Real>(program);
  LaneWorkspace<Real> workspace{scratch.workspace};
  const SlabSink<Real> sink{scratch.places, scratch.steps, SlabSink<Real>::padded_places(program),
                            program.first_torque_place()};
  std::memset(scratch.sums, 0, (static_cast<std::size_t>(program.num_sums) + 1) * sizeof(double));
  const std::int64_t end = task.begin + task.count;
  for (std::int64_t at = task.begin; at < end;) {
    const std::int64_t packs_left = (end - at + kLanes - 1) / kLanes;
    const int num_packs =
        packs_left < packs_in_block ? static_cast<int>(packs_left) : packs_in_block;
    core::SampleView samples = *task.samples;
    std::int64_t offset = 0;  // into the view's samples
    if (task.motion) {
      samples = motion_block(*task.motion, *task.samples, at, num_packs * kLanes, scratch.motion);
      offset = at;
    }
    sink.rewind(program, scratch.slab, num_packs);
    for (int pack = 0; pack < num_packs; ++pack, at += kLanes) {
      if (end - at < kLanes) {
        samples = padded_samples(tree, samples, at - offset, static_cast<int>(end - at), kLanes,
                                 scratch.tail);
        offset = at;
      }
      const JointInput<Real> input{
          {samples, task.row_scale, at - offset}, tree.bodies, scratch.sines};
      put_sines<Real>(tree, input, scratch.sines);
      core::put_regressor_rows<Pack<Real>>(tree, input, workspace, sink);
      sink.advance();
    }
    run_tiles(program, scratch.slab, num_packs, scratch.sums);
  }
  double* const packed = task.packed;
  const int* const first_sums = program.first_sums.data();
#pragma GCC unroll 8
  for (std::int64_t i = 0; i < program.packed_size; ++i) packed[i] = scratch.sums[first_sums[i]];
  for (const SumPlace& place : program.other_places)
    packed[place.packed] += scratch.sums[place.sum];
}

/// Runs the program's tiles `rounds` times over a full block of ones; returns the number of
/// multiply-adds.
template <class Real>
std::int64_t run_gram(const core::TreeView& tree, const GramProgram& program, void* memory,
                      int rounds) {
  const Scratch<Real> scratch(tree, program, memory);
  const int packs_in_block = packs_per_block<Real>(program);
  for (int i = 0; i < program.slab_size * packs_in_block; ++i) scratch.slab[i] = Pack<Real>(1.0);
  std::memset(scratch.sums, 0, static_cast<std::size_t>(program.num_sums) * sizeof(double));
  for (int round = 0; round < rounds; ++round)
    run_tiles(program, scratch.slab, packs_in_block, scratch.sums);
  return rounds * program.num_products * packs_in_block * Pack<Real>::kLanes;
}

/// Size in packs: the workspace and the samples of an incomplete pack.
inline std::size_t predict_scratch_bytes(const core::TreeView& tree) {
  return static_cast<std::size_t>(core::inverse_dynamics_workspace_size(tree)) *
             sizeof(Pack<double>) +
         static_cast<std::size_t>(padded_samples_size(tree, Pack<double>::kLanes)) * sizeof(double);
}

inline void predict_chunk(const PredictTask& task) {
  constexpr int kLanes = Pack<double>::kLanes;
  const core::TreeView& tree = *task.tree;
  const core::TorqueLayout layout(tree);
  LaneWorkspace<double> workspace{static_cast<Pack<double>*>(task.scratch)};
  double* const tail =
      reinterpret_cast<double*>(workspace.packs + core::inverse_dynamics_workspace_size(tree));
  const KnownInertias inertias{task.coefficients, task.bodies};
  core::SampleView view = *task.samples;
  for (int done = 0; done < task.count; done += kLanes) {
    const int num_valid = task.count - done < kLanes ? task.count - done : kLanes;
    const bool is_full = num_valid == kLanes;
    if (!is_full) view = padded_samples(tree, view, task.begin + done, num_valid, kLanes, tail);
    const UnweightedInput<double> input{{view, nullptr, is_full ? task.begin + done : 0}};
    core::put_torques<Pack<double>>(tree, input, workspace, inertias);
    for (int c = 0; c < tree.num_channels; ++c) {
      const Pack<double>& torque = workspace(layout.torque(c));
      for (int lane = 0; lane < num_valid; ++lane)
        task.torque[c * task.stride + done + lane] = torque.v[lane];
    }
  }
}

/// Returns these functions as a set.
constexpr LaneKernels lane_kernels(const char* name) {
  return {name,
          {tile_set<double>(), tile_set<float>()},
          {scratch_bytes<double>, scratch_bytes<float>},
          {accumulate_chunk<double>, accumulate_chunk<float>},
          predict_scratch_bytes,
          predict_chunk,
          torque_changes_scratch_bytes,
          put_torque_changes,
          rows_scratch_bytes,
          put_rows,
          products_scratch_bytes,
          add_products,
          {run_peak<double>, run_peak<float>},
          {run_peak_with_loads<double>, run_peak_with_loads<float>},
          {run_gram<double>, run_gram<float>}};
}

}  // namespace heft::cpu::HEFT_CPU_TARGET
