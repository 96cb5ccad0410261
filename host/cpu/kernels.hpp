// The CPU's chunk kernels behind function pointers, one set per instruction set, picked at run time
// (instruction_sets.hpp, which the objects of the sets themselves must not include: it knows templates of others).
#pragma once

#include <cstddef>
#include <cstdint>

#include "heft/core/motion_view.hpp"
#include "heft/core/precision.hpp"
#include "heft/core/sample_view.hpp"
#include "heft/core/tree.hpp"
#include "host/cpu/gram_program.hpp"

namespace heft::cpu {

/// Samples [begin, begin + count) of one job, whose products are added to `packed`.
struct ChunkTask {
  const core::TreeView* tree;
  const GramProgram* program;
  const core::SampleView* samples;
  const core::MotionView* motion;  ///< null: the samples are in arrays
  const double* row_scale;         ///< factor of every channel's rows; null: one
  std::int64_t begin;
  int count;
  void* scratch;  ///< scratch_bytes, aligned to 64
  double* packed;
};

/// The functions of lane_kernels.hpp, compiled for one instruction set; arrays by precision.
struct LaneKernels {
  const char* name;  ///< "AVX-512", "AVX2" or "SSE2"
  TileShapes shapes[2];
  std::size_t (*scratch_bytes[2])(const core::TreeView& tree, const GramProgram& program);
  void (*accumulate_chunk[2])(const ChunkTask& task);
  std::size_t (*predict_scratch_bytes)(const core::TreeView& tree);
  void (*predict_chunk)(const core::TreeView& tree, const core::SampleView& samples, std::int64_t begin,
                        int count, const double* const* coefficients, void* scratch, double* torque,
                        std::int64_t stride);
  /// Does multiply-adds in registers as fast as it can; their number.
  std::int64_t (*run_peak[2])(std::int64_t rounds);
  /// The same with factors from the first-level cache.
  std::int64_t (*run_peak_with_loads[2])(int rounds);
  /// Does the multiply-adds of a program `rounds` times over one block of a slab; their number.
  std::int64_t (*run_gram[2])(const core::TreeView& tree, const GramProgram& program, void* scratch,
                              int rounds);
};

extern const LaneKernels kAvx512Kernels;
extern const LaneKernels kAvx2Kernels;
extern const LaneKernels kBaselineKernels;

}  // namespace heft::cpu
