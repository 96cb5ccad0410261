// The CPU's loops over one chunk of samples: lanes = samples. Compiled once per instruction set by
// lanes_*.cpp, each in a namespace of its own: of equal names the linker would keep one copy,
// perhaps of an instruction set that the machine lacks.
//
// Accumulate: the rows of a block of samples go to a slab, panel after panel (core/tree.hpp), row
// after row, pack after pack; then the tiles of the program (gram_program.hpp) sum products over
// the slab. A block is as long as the second-level cache allows, at most 120 samples (240 in fp32).
// So a lane of an fp32 tile takes at most 15 products a row with AVX-512, 29 with AVX2, 59 with
// SSE2, before its sum goes on to fp64.
//
// The including file defines HEFT_CPU_TARGET (namespace), HEFT_CPU_PACK_BYTES (of a register) and
// the largest register tile (tile_kernels.hpp).
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

namespace heft::cpu::HEFT_CPU_TARGET {

/// Packs of samples in a full block: enough to make sums of lanes rare, and no more than fit the
/// second-level cache. An odd number, so that a panel's rows do not compete for the same sets of
/// the first-level cache. The last block of a chunk may be shorter.
template <class Real>
int packs_per_block(const GramProgram& program) {
  constexpr int kSlabBytes = 1 << 20;
  constexpr int kMax = (sizeof(Real) == sizeof(float) ? 240 : 120) / Pack<Real>::kLanes;
  constexpr int kMin = 7;
  const int fitting = kSlabBytes / (program.slab_size * kPackBytes);
  const int packs = fitting < kMin ? kMin : fitting > kMax ? kMax : fitting;
  return (packs - 1) | 1;
}

/// Writes the rows of one pack of samples to the slab.
template <class Real>
struct SlabSink {
  using P = Pack<Real>;
  const GramProgram& program;
  P* slab;
  std::ptrdiff_t* places;  ///< of every panel row: where the pack goes, in packs from the slab's
                           ///< begin
  std::ptrdiff_t* steps;   ///< and how far it is from there to the next pack's

  struct Row {
    P* first;
    void put(int k, const P& value) const { first[k] = value; }
  };

  void put_torque(int channel, const P& value) const {
    const int tail = program.tail_row(channel);
    slab[places[tail] + steps[tail] - 1] = value;
  }
  Row row(const core::RowEntry& entry) const {
    return {slab + places[entry.panel_row] + entry.panel_column};
  }
  void put_feature(const core::FeatureEntry& entry, const P& value) const {
    slab[places[entry.panel_row] + entry.panel_column] = value;
  }

  /// To the begin of a block of so many packs.
  void rewind(int num_packs) const {
    for (int i = 0; i < num_places(program); ++i) {
      const SlabRow row = i < program.num_slab_rows() ? program.slab_rows[i] : SlabRow{0, 0};
      places[i] = static_cast<std::ptrdiff_t>(row.begin) * num_packs;
      steps[i] = row.width;
    }
  }
  void advance() const {
    for (int i = 0; i < num_places(program); i += kTogether)
#ifndef __clang__
#pragma GCC ivdep
#endif
      for (int k = i; k < i + kTogether; ++k) places[k] += steps[k];
  }

  static constexpr int kTogether = 8;  ///< places that advance in one instruction, or few
  static int num_places(const GramProgram& program) {
    return (program.num_slab_rows() + kTogether - 1) / kTogether * kTogether;
  }
};

/// Scratch memory of a chunk.
template <class Real>
struct Scratch {
  Pack<Real>*workspace, *slab;
  std::ptrdiff_t *places, *steps;  ///< of SlabSink
  double *sums, *motion, *tail;
  std::size_t num_bytes;

  /// Lays it out from `memory` on; its size is the same wherever that is.
  Scratch(const core::TreeView& tree, const GramProgram& program, void* memory) {
    ScratchLayout layout(memory);
    layout.take(workspace, core::workspace_size(tree));
    layout.take(slab,
                static_cast<std::int64_t>(program.slab_size) * packs_per_block<Real>(program));
    layout.take(places, SlabSink<Real>::num_places(program));
    layout.take(steps, SlabSink<Real>::num_places(program));
    layout.take(sums, program.num_sums);
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

/// Where a side of a tile lies in a slab.
template <class Real>
TilePacks packs_of(const TileSide& side, const Pack<Real>* slab, int num_packs) {
  return {slab + static_cast<std::ptrdiff_t>(side.row.begin) * num_packs + side.column,
          side.row.width};
}

/// Adds the products of a block of `num_packs` packs of samples.
template <class Real>
void run_tiles(const GramProgram& program, const Pack<Real>* slab, int num_packs, double* sums) {
  for (const GramTile& tile : program.tiles) {
    tile.function(packs_of(tile.left, slab, num_packs), packs_of(tile.right, slab, num_packs),
                  packs_of(tile.last, slab, num_packs), tile.num_rows * num_packs, sums);
    sums += tile.num_sums;
  }
}

template <class Real>
void accumulate_chunk(const ChunkTask& task) {
  constexpr int kLanes = Pack<Real>::kLanes;
  const core::TreeView& tree = *task.tree;
  const GramProgram& program = *task.program;
  const Scratch<Real> scratch(tree, program, task.scratch);
  const int packs_in_block = packs_per_block<Real>(program);
  LaneWorkspace<Real> workspace{scratch.workspace};
  const SlabSink<Real> sink{program, scratch.slab, scratch.places, scratch.steps};
  std::memset(scratch.sums, 0, program.num_sums * sizeof(double));
  const std::int64_t end = task.begin + task.count;
  for (std::int64_t at = task.begin; at < end;) {
    const std::int64_t packs_left = (end - at + kLanes - 1) / kLanes;
    const int num_packs =
        packs_left < packs_in_block ? static_cast<int>(packs_left) : packs_in_block;
    core::SampleView samples = *task.samples;
    std::int64_t offset = 0;  // of the view's samples
    if (task.motion) {
      samples = motion_block(*task.motion, *task.samples, at, num_packs * kLanes, scratch.motion);
      offset = at;
    }
    sink.rewind(num_packs);
    for (int pack = 0; pack < num_packs; ++pack, at += kLanes) {
      if (end - at < kLanes) {
        samples = padded_samples(tree, samples, at - offset, static_cast<int>(end - at), kLanes,
                                 scratch.tail);
        offset = at;
      }
      const ArrayInput<Real> input{samples, task.row_scale, at - offset};
      core::put_regressor_rows<Pack<Real>>(tree, input, workspace, sink);
      sink.advance();
    }
    run_tiles(program, scratch.slab, num_packs, scratch.sums);
  }
  double* const packed = task.packed;
  for (const SumPlace& place : program.places) packed[place.packed] += scratch.sums[place.sum];
}

/// Runs the program's tiles `rounds` times over a full block of ones; the number of their
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

/// The Inertias of core/inverse_dynamics.hpp.
struct KnownInertias {
  const double* const* coefficients;
  const double* bodies;

  const double* body(int b) const { return bodies + core::kNumParameters * b; }
  double feature(const core::FeatureEntry& entry) const {
    return coefficients[entry.channel][entry.column];
  }
};

/// In packs: the workspace and the samples of a pack that is not full.
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

/// These functions as one set.
constexpr LaneKernels lane_kernels(const char* name) {
  return {name,
          {{kMaxRows, kMaxColumns, kMaxDiagonal, tile_function<double>},
           {kMaxRows, kMaxColumns, kMaxDiagonal, tile_function<float>}},
          {scratch_bytes<double>, scratch_bytes<float>},
          {accumulate_chunk<double>, accumulate_chunk<float>},
          predict_scratch_bytes,
          predict_chunk,
          rows_scratch_bytes,
          put_rows,
          products_scratch_bytes,
          add_products,
          {run_peak<double>, run_peak<float>},
          {run_peak_with_loads<double>, run_peak_with_loads<float>},
          {run_gram<double>, run_gram<float>}};
}

}  // namespace heft::cpu::HEFT_CPU_TARGET
