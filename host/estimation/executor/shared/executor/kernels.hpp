// The CPU's chunk kernels as function pointers, one set per instruction set, selected at run time
// by instruction_sets.hpp. The objects of the sets must not include that header, because it
// instantiates templates shared with other objects.
#pragma once

#include <cstddef>
#include <cstdint>

#include "executor/gram_program.hpp"
#include "heft/core/choices.hpp"
#include "heft/core/motion_view.hpp"
#include "heft/core/sample_view.hpp"
#include "heft/core/tree.hpp"

#pragma GCC visibility push(default)
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
  void* scratch;   ///< scratch_bytes, aligned to 64
  double* packed;  ///< overwritten
};

/// Samples [begin, begin + count) whose rows are written.
struct RowsTask {
  const core::TreeView* tree;
  const core::SampleView* samples;
  std::int64_t begin;
  int count;
  void* scratch;        ///< rows_scratch_bytes, aligned to 64
  const int* widths;    ///< number of columns per channel
  double* const* rows;  ///< per channel: row of the first sample, followed by those of the next
                        ///< ones; null: not requested
};

/// Samples [begin, begin + count) for which torques of known bodies are computed: torque[c * stride
/// + i] is that of channel c at sample begin + i.
struct PredictTask {
  const core::TreeView* tree;
  const core::SampleView* samples;
  const double* const* coefficients;  ///< of every channel's row
  const double* bodies;  ///< ten parameters per body, of the entries that it keeps (kept_bodies)
  std::int64_t begin;
  int count;
  void* scratch;  ///< predict_scratch_bytes, aligned to 64
  double* torque;
  std::int64_t stride;
};

/// A body with another frame in its parent or another zero of its joint.
struct ChangedBody {
  core::BodyEntry entry;
  const int* outward;  ///< the body, then all outward of it, parents first
  int num_outward;
};

/// Changes of the torques of `count` samples, for each of several changes: torques[k][c * count +
/// i] is that of channel c at sample i.
struct TorqueChangesTask {
  const core::TreeView* tree;
  const core::SampleView* samples;
  const double* bodies;  ///< ten parameters per body in its kernel frame
  int count;
  void* scratch;  ///< torque_changes_scratch_bytes, aligned to 64
  const ChangedBody* changes;
  int num_changes;
  double* const* torques;
};

/// `count` consecutive rows of `width` numbers, whose products are added to a packed triangle.
struct ProductsTask {
  const double* rows;
  std::int64_t count;
  int width;
  void* scratch;  ///< products_scratch_bytes, aligned to 64
  double* packed;
};

/// The functions of lane_kernels.hpp, compiled for one instruction set; arrays by precision.
struct LaneKernels {
  const char* name;  ///< "AVX-512", "AVX2", "NEON" or "SSE2"
  TileSet tiles[2];
  std::size_t (*scratch_bytes[2])(const core::TreeView& tree, const GramProgram& program);
  void (*accumulate_chunk[2])(const ChunkTask& task);
  std::size_t (*predict_scratch_bytes)(const core::TreeView& tree);
  void (*predict_chunk)(const PredictTask& task);
  std::size_t (*torque_changes_scratch_bytes)(const core::TreeView& tree);
  void (*put_torque_changes)(const TorqueChangesTask& task);
  std::size_t (*rows_scratch_bytes)(const core::TreeView& tree, const int* widths);
  void (*put_rows)(const RowsTask& task);
  std::size_t (*products_scratch_bytes)(int width);
  void (*add_products)(const ProductsTask& task);
  /// Measures the peak rate of multiply-adds in registers; returns their number.
  std::int64_t (*run_peak[2])(std::int64_t rounds);
  /// Does the same with factors from the first-level cache.
  std::int64_t (*run_peak_with_loads[2])(int rounds);
  /// Runs the multiply-adds of a program `rounds` times over one block of a slab; returns their
  /// number.
  std::int64_t (*run_gram[2])(const core::TreeView& tree, const GramProgram& program, void* scratch,
                              int rounds);
};

extern const LaneKernels kAvx512Kernels;
extern const LaneKernels kAvx2Kernels;
extern const LaneKernels kBaselineKernels;

}  // namespace heft::cpu
#pragma GCC visibility pop
