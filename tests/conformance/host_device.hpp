// An emulated device: the kernels' own functions run on the host, with one thread in the role of
// all threads of all blocks. For tests of everything around the kernels; not meant for use as a
// backend.
#pragma once

#include <cstdint>
#include <memory>

#include "kernels/moments/device.hpp"

namespace heft::cuda {

struct HostDeviceOptions {
  int num_blocks = 3;
  std::int64_t memory_bytes = std::int64_t{1} << 40;  ///< all that it has; the rest is refused
  bool last_thread_first = false;  ///< the order of threads between two barriers must not matter
  /// Above zero: instead another order of threads between any two barriers, and of blocks in every
  /// launch, drawn by this seed.
  std::uint64_t order_seed = 0;
};

/// Scratch and shared memory are full of NaN before a launch; a block that writes behind its shared
/// memory is an Error.
std::unique_ptr<Device> make_host_device(const HostDeviceOptions& options = {});

}  // namespace heft::cuda
