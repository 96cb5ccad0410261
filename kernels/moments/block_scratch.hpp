// Scratch memory of one block of threads, in global memory; as far as it fits it stays in the second-level cache.
#pragma once

#include "device_job.hpp"
#include "heft/core/regressor.hpp"
#include "motion_block.hpp"

namespace heft::cuda {

/// Its parts, each a whole number of kThreads scalars. In a launch all blocks have as much as the largest job needs.
template <class Real>
struct BlockScratch {
  Real* workspace;  ///< of core/regressor.hpp
  Real* torque;     ///< of every channel; the dot products of predictions
  Real* slab;       ///< rows: gram_tiles.hpp
  double* motion;
  double* sums;  ///< of every tile and share: place (kTileSums, shares, tiles), tiles fastest
  std::int64_t num_bytes;

  HEFT_HD BlockScratch(const DeviceJob& job, std::byte* memory) {
    const std::uintptr_t begin = reinterpret_cast<std::uintptr_t>(memory);
    std::uintptr_t at = begin;
    workspace = take<Real>(at, std::int64_t{core::workspace_size(job.tree)} * kThreads);
    torque = take<Real>(at, std::int64_t{job.tree.num_channels} * kThreads);
    slab = take<Real>(at, std::int64_t{job.tiles.num_columns} * kThreads);
    motion = take<double>(at, job.has_motion ? motion_block_size(job.motion.num_coordinates) : 0);
    sums = take<double>(at, std::int64_t{kTileSums} * job.tiles.num_shares * job.tiles.num_tiles);
    num_bytes = static_cast<std::int64_t>(at - begin);
  }

 private:
  template <class T>
  static HEFT_HD T* take(std::uintptr_t& at, std::int64_t count) {
    T* const part = reinterpret_cast<T*>(at);
    at += static_cast<std::uintptr_t>(count) * sizeof(T);
    return part;
  }
};

/// What one block needs for this job.
template <class Real>
std::int64_t scratch_bytes(const DeviceJob& job) {
  return BlockScratch<Real>(job, nullptr).num_bytes;
}

}  // namespace heft::cuda
