// A grid of blocks, run one block after the other.
#pragma once

#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "tests/device_on_host/block/module.hpp"
#include "tests/device_on_host/block/thread.hpp"
#include "tests/device_on_host/block/thread_order.hpp"

namespace heft::device_on_host {

class Profile;

struct Launch {
  const Module* module;
  const Kernel* kernel;
  Extent grid, block;
  std::uint32_t dynamic_shared;                    ///< bytes
  std::vector<std::vector<std::byte>> parameters;  ///< their values
};

struct Circumstances {
  ThreadOrder order = ThreadOrder::ascending;
  std::mt19937_64* random = nullptr;  ///< for ThreadOrder::random: of threads, and of blocks
  bool copies_are_early = false;      ///< cp.async at once rather than when it is waited for
  int removed_mutant = -1;            ///< of the launch's module
  std::uint64_t most_steps = 0;       ///< basic blocks that a thread may run; 0: no limit
  Profile* profile = nullptr;         ///< counts, if not null; checked build
};

/// False if the kernel went wrong: accessed memory that it must not, waits for what never comes, or
/// does not end. Then what else it would have done is not done. Findings say what it was.
bool run(const Launch& launch, const Circumstances& circumstances);

}  // namespace heft::device_on_host
