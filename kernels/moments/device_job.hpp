// Input of the kernels: jobs, their tasks, and launches. Plain structs of pointers and numbers,
// filled by device_batch.cpp (data of a job) and transfer_builder.cpp (data of a transfer);
// pointers are to device memory.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gram_tiles.hpp"
#include "heft/core/motion_view.hpp"
#include "heft/core/sample_view.hpp"
#include "heft/core/tree.hpp"

namespace heft::cuda {

/// The part of a job that concerns the current transfer of samples.
struct DeviceJob {
  core::TreeView tree;
  GramTilesView tiles;          ///< of sums; empty for rows and torques
  RowShareView shares[kWarps];  ///< of sums of rows that are made: tiles.num_shares of them
  int share_workspace;          ///< scalars a sample, of the largest share
  core::SampleView samples;     ///< of the transfer; with a motion, what is constant of them
  core::MotionView motion;      ///< of no coordinates if there is none
  bool has_motion;
  bool is_weighted;  ///< rows with their weights and their torque; else at weight one, without it
  const double* row_scale;     ///< factor of every channel's rows; null: one
  const double* given_rows;    ///< column after column, samples.stride long
  const double* coefficients;  ///< of torques: channel after channel, width - 1 numbers each
  const double* bodies;        ///< of torques: ten parameters each, of the entries that they keep
  const int* channel_begin;    ///< columns before those of a channel where rows lie channel after
                               ///< channel
  int first_channel, last_channel;  ///< whose rows are wanted: first to last - 1
};

/// A run of samples that one block of threads works on.
struct Task {
  int job;
  std::int64_t begin;  ///< in the job's samples of this transfer, or in its motion
  std::int64_t count;
  double* result;  ///< packed moments; or rows, count x wanted columns; or torques, count x
                   ///< channels; columns contiguous
};

/// Consecutive parts of a chunk that are added up in their order; the sum from earlier transfers is
/// in `carry`.
struct PartSum {
  const double* parts;  ///< num_parts x size
  int num_parts;
  bool is_first;  ///< nothing is in `carry` yet
  std::int64_t size;
  double* result;  ///< `carry` if more parts follow in later transfers
  double* carry;
};

/// Large moments are those of robots whose rows do not fit in shared memory; their units are wide.
enum class Kernel : int {
  moments_fp64,
  moments_fp32,
  large_moments_fp64,
  large_moments_fp32,
  given_rows,
  rows,
  torques
};
inline constexpr Kernel kKernels[] = {Kernel::moments_fp64,
                                      Kernel::moments_fp32,
                                      Kernel::large_moments_fp64,
                                      Kernel::large_moments_fp32,
                                      Kernel::given_rows,
                                      Kernel::rows,
                                      Kernel::torques};

/// A persistent grid: block b takes tasks b, b + num_blocks, ..
struct Launch {
  Kernel kernel;
  const DeviceJob* jobs;
  const Task* tasks;
  int num_tasks;
  int num_blocks;
  std::byte* scratch;  ///< num_blocks * scratch_stride bytes
  std::int64_t scratch_stride;
  std::int64_t shared_bytes;  ///< of shared memory of a block
};

struct PartSumLaunch {
  const PartSum* sums;
  int num_sums;
};

}  // namespace heft::cuda
