// Memory of one block of threads. The slab and workspace are in shared memory if they are small
// enough, as for a robot arm; otherwise the slab is in global memory, where the caches hold it as
// far as they fit, and the workspace in shared memory if it fits alone. Sums that wait between
// rounds, and motions, are always in global memory. Sums that do not wait are written to memory
// once per task, after the slab is no longer needed: in its place, if they fit.
#pragma once

#include "device_job.hpp"
#include "heft/core/inverse_dynamics.hpp"
#include "heft/core/regressor.hpp"
#include "motion_block.hpp"
#include "sample_input.hpp"

namespace heft::cuda {

/// Shared memory per block that every device from compute capability 8.0 on provides on request (99
/// KB).
inline constexpr std::int64_t kMaxSharedBytes = 96 * 1024;

/// Allocates consecutive parts of a piece of memory; without memory, it only counts.
class MemoryParts {
 public:
  HEFT_HD explicit MemoryParts(std::byte* memory) : memory_(memory) {}
  template <class T>
  HEFT_HD T* take(std::int64_t count) {
    T* const part = reinterpret_cast<T*>(memory_ + num_bytes_);
    num_bytes_ +=
        (count * static_cast<std::int64_t>(sizeof(T)) + kAlignment - 1) / kAlignment * kAlignment;
    return part;
  }
  HEFT_HD std::int64_t num_bytes() const { return num_bytes_; }

 private:
  static constexpr std::int64_t kAlignment = 16;
  std::byte* memory_;
  std::int64_t num_bytes_ = 0;
};

/// Memory from which the sums of products of a job are computed.
template <class Real>
struct SlabMemory {
  Real* workspace;          ///< of row_shares.hpp, kThreads scalars side by side
  Real* joints;             ///< JointNumbers of all groups' samples, side by side
  Real* slab;               ///< gram_tiles.hpp; of one group after the other
  core::BodyEntry* bodies;  ///< the shares' own, copied here once a task: every sample reads them
  double* sums;  ///< of every group, in place of all this; null: they do not fit, or wait elsewhere
  std::int64_t num_bytes;

  /// All in one piece.
  HEFT_HD SlabMemory(const DeviceJob& job, std::byte* memory) {
    MemoryParts parts(memory);
    workspace = parts.take<Real>(workspace_scalars(job));
    take_others(job, parts);
    const bool do_fit =
        job.tiles.num_groups() * job.tiles.num_sums() * std::int64_t{sizeof(double)} <= num_bytes;
    sums = job.tiles.num_rounds == 1 && do_fit ? reinterpret_cast<double*>(memory) : nullptr;
  }

  /// The workspace in shared memory if it fits there alone, all else in `memory`.
  HEFT_HD SlabMemory(const DeviceJob& job, std::byte* shared, std::byte* memory) {
    MemoryParts parts(memory);
    workspace = shared_workspace_bytes(job) > 0 ? reinterpret_cast<Real*>(shared)
                                                : parts.take<Real>(workspace_scalars(job));
    take_others(job, parts);
    sums = nullptr;
  }

  /// 0: the workspace does not fit in shared memory.
  HEFT_HD static std::int64_t shared_workspace_bytes(const DeviceJob& job) {
    const std::int64_t bytes = workspace_scalars(job) * static_cast<std::int64_t>(sizeof(Real));
    return bytes <= kMaxSharedBytes ? bytes : 0;
  }

  HEFT_HD static int num_share_bodies(const DeviceJob& job) {
    int count = 0;
    for (int s = 0; s < job.tiles.num_shares; ++s) count += job.shares[s].tree.num_bodies;
    return count;
  }
  HEFT_HD core::BodyEntry* bodies_of(const DeviceJob& job, int share) const {
    return bodies + job.shares[share].first_body;
  }
  HEFT_HD JointNumbers<Real> joints_of(const DeviceJob& job, int sample) const {
    return {joints + sample, job.tiles.num_groups() * kSlabSamples, job.tree.num_bodies};
  }

 private:
  HEFT_HD static std::int64_t workspace_scalars(const DeviceJob& job) {
    return std::int64_t{job.share_workspace} * kThreads;
  }
  HEFT_HD void take_others(const DeviceJob& job, MemoryParts& parts) {
    joints = parts.take<Real>(std::int64_t{JointNumbers<Real>::count(job.tree)} *
                              job.tiles.num_groups() * kSlabSamples);
    slab = parts.take<Real>(std::int64_t{job.tiles.slabs_at_a_time()} * job.tiles.num_groups() *
                            job.tiles.num_columns * kSlabStride);
    bodies = parts.take<core::BodyEntry>(num_share_bodies(job));
    num_bytes = parts.num_bytes();
  }
};

/// Data that stay in global memory while sums of products are computed.
struct SumMemory {
  double* sums;  ///< of every group
  double* motion;
  std::int64_t num_bytes;

  HEFT_HD SumMemory(const DeviceJob& job, std::byte* memory) {
    MemoryParts parts(memory);
    sums = parts.take<double>(job.tiles.num_groups() * job.tiles.num_sums());
    motion = parts.take<double>(motion_block_size(job.motion.num_coordinates));
    num_bytes = parts.num_bytes();
  }
};

/// Memory for rows that are stored.
struct RowMemory {
  double* workspace;  ///< of core/regressor.hpp
  std::int64_t num_bytes;

  HEFT_HD RowMemory(const DeviceJob& job, std::byte* memory) {
    MemoryParts parts(memory);
    workspace = parts.take<double>(std::int64_t{core::workspace_size(job.tree)} * kThreads);
    num_bytes = parts.num_bytes();
  }
};

/// Memory for predicted torques.
struct TorqueMemory {
  double* workspace;  ///< of core/inverse_dynamics.hpp
  std::int64_t num_bytes;

  HEFT_HD TorqueMemory(const DeviceJob& job, std::byte* memory) {
    MemoryParts parts(memory);
    workspace = parts.take<double>(std::int64_t{core::inverse_dynamics_workspace_size(job.tree)} *
                                   kThreads);
    num_bytes = parts.num_bytes();
  }
};

/// Bytes of shared memory that a block needs for a job, and of global memory.
struct BlockBytes {
  std::int64_t shared, scratch;
};
template <class Real>
BlockBytes large_block_bytes(const DeviceJob& job) {
  return {SlabMemory<Real>::shared_workspace_bytes(job),
          SumMemory(job, nullptr).num_bytes + SlabMemory<Real>(job, nullptr, nullptr).num_bytes};
}
inline BlockBytes block_bytes(Kernel kernel, const DeviceJob& job) {
  switch (kernel) {
    case Kernel::moments_fp64:
      return {SlabMemory<double>(job, nullptr).num_bytes, SumMemory(job, nullptr).num_bytes};
    case Kernel::moments_fp32:
      return {SlabMemory<float>(job, nullptr).num_bytes, SumMemory(job, nullptr).num_bytes};
    case Kernel::large_moments_fp64:
    case Kernel::given_rows:
      return large_block_bytes<double>(job);
    case Kernel::large_moments_fp32:
      return large_block_bytes<float>(job);
    case Kernel::rows:
      return {0, RowMemory(job, nullptr).num_bytes};
    case Kernel::torques:
      return {0, TorqueMemory(job, nullptr).num_bytes};
  }
  return {};
}

}  // namespace heft::cuda
