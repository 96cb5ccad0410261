// Memory of one block of threads. What it works on lies in shared memory if it is little enough, as that of a robot arm is,
// or else in global memory, where as far as it fits it stays in the caches; sums that wait, and motions, always do.
#pragma once

#include "device_job.hpp"
#include "heft/core/regressor.hpp"
#include "motion_block.hpp"

namespace heft::cuda {

/// Of shared memory, of what every device from compute capability 8.0 on gives a block that asks (99 KB).
inline constexpr std::int64_t kMaxSharedBytes = 96 * 1024;

/// Hands out parts of a piece of memory, one after the other; with none, it only counts.
class MemoryParts {
 public:
  HEFT_HD explicit MemoryParts(std::byte* memory) : memory_(memory) {}
  template <class T>
  HEFT_HD T* take(std::int64_t count) {
    T* const part = reinterpret_cast<T*>(memory_ + num_bytes_);
    num_bytes_ += (count * static_cast<std::int64_t>(sizeof(T)) + kAlignment - 1) / kAlignment * kAlignment;
    return part;
  }
  HEFT_HD std::int64_t num_bytes() const { return num_bytes_; }

 private:
  static constexpr std::int64_t kAlignment = 16;
  std::byte* memory_;
  std::int64_t num_bytes_ = 0;
};

/// What sums of products are made from, for a job.
template <class Real>
struct SlabMemory {
  Real* workspace;  ///< of row_shares.hpp, kThreads scalars side by side
  Real* angles;     ///< sine and cosine of every body, of all groups' samples side by side
  Real* slab;       ///< gram_tiles.hpp; of one group after the other
  std::int64_t num_bytes;

  HEFT_HD SlabMemory(const DeviceJob& job, std::byte* memory) {
    MemoryParts parts(memory);
    workspace = parts.take<Real>(std::int64_t{job.share_workspace} * kThreads);
    angles = parts.take<Real>(std::int64_t{2} * job.tree.num_bodies * job.tiles.num_groups() * kSlabSamples);
    slab = parts.take<Real>(std::int64_t{job.tiles.num_groups()} * job.tiles.num_columns * kSlabStride);
    num_bytes = parts.num_bytes();
  }
};

/// What waits in global memory while sums of products are made.
struct SumMemory {
  double* sums;  ///< of every unit of every group
  double* motion;
  std::int64_t num_bytes;

  HEFT_HD SumMemory(const DeviceJob& job, std::byte* memory) {
    MemoryParts parts(memory);
    sums = parts.take<double>(std::int64_t{job.tiles.num_groups()} * job.tiles.num_places() * kUnitSums);
    motion = parts.take<double>(job.has_motion ? motion_block_size(job.motion.num_coordinates) : 0);
    num_bytes = parts.num_bytes();
  }
};

/// Of rows and predicted torques.
struct RowMemory {
  double* workspace;  ///< of core/regressor.hpp
  double* sums;       ///< a torque a channel
  std::int64_t num_bytes;

  HEFT_HD RowMemory(const DeviceJob& job, std::byte* memory) {
    MemoryParts parts(memory);
    workspace = parts.take<double>(std::int64_t{core::workspace_size(job.tree)} * kThreads);
    sums = parts.take<double>(std::int64_t{job.tree.num_channels} * kThreads);
    num_bytes = parts.num_bytes();
  }
};

/// Bytes of shared memory that a block needs for a job, and of global memory.
struct BlockBytes {
  std::int64_t shared, scratch;
};
inline BlockBytes block_bytes(Kernel kernel, const DeviceJob& job) {
  switch (kernel) {
    case Kernel::moments_fp64:
      return {SlabMemory<double>(job, nullptr).num_bytes, SumMemory(job, nullptr).num_bytes};
    case Kernel::moments_fp32:
      return {SlabMemory<float>(job, nullptr).num_bytes, SumMemory(job, nullptr).num_bytes};
    case Kernel::large_moments_fp64:
    case Kernel::given_rows:
      return {0, SumMemory(job, nullptr).num_bytes + SlabMemory<double>(job, nullptr).num_bytes};
    case Kernel::large_moments_fp32:
      return {0, SumMemory(job, nullptr).num_bytes + SlabMemory<float>(job, nullptr).num_bytes};
    case Kernel::rows:
    case Kernel::torques:
      return {0, RowMemory(job, nullptr).num_bytes};
  }
  return {};
}

}  // namespace heft::cuda
