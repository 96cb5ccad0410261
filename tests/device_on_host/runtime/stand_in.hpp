// Interface for tests to set up and query the emulated device. There is one, like one CUDA runtime
// in a process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "tests/device_on_host/block/module.hpp"
#include "tests/device_on_host/block/thread_order.hpp"

namespace heft::device_on_host {

/// When work in streams is done.
enum class StreamOrder {
  eager,  ///< as soon as it is asked for
  lazy,   ///< when somebody waits for it, no earlier
  random  ///< at any time in between, of any stream whose turn it may be
};

/// What happens to the call that is made to fail.
enum class Fault {
  once,   ///< it fails, others do not
  sticky  ///< it and all behind it fail, as after a kernel that went wrong
};

/// Read from the environment when the program begins; tests change it with set().
struct Settings {
  StreamOrder streams = StreamOrder::lazy;       ///< HEFT_DEVICE_STREAMS: eager, lazy, random
  ThreadOrder threads = ThreadOrder::ascending;  ///< HEFT_DEVICE_THREADS: ascending, descending,
                                                 ///< random
  std::uint64_t seed = 1;                        ///< HEFT_DEVICE_SEED
  bool copies_are_early = false;                 ///< HEFT_DEVICE_COPIES: late, early: of cp.async
  int num_multiprocessors = 2;                   ///< HEFT_DEVICE_MULTIPROCESSORS
  std::size_t memory_bytes = std::size_t{1} << 33;  ///< HEFT_DEVICE_MEMORY
  int most_shared_bytes = 232448;                   ///< of a block; HEFT_DEVICE_SHARED
  int most_blocks = 32;       ///< that a multiprocessor holds; HEFT_DEVICE_BLOCKS
  bool is_there = true;       ///< HEFT_DEVICE_COUNT: 1 or 0
  int driver_version = 0;     ///< of CUDA that the driver serves, 12040 for 12.4; 0: that of the
                              ///< runtime
  std::int64_t fail_at = 0;   ///< the n-th call that can fail does, counted from set(); 0: none;
                              ///< HEFT_DEVICE_FAIL_AT
  Fault fault = Fault::once;  ///< HEFT_DEVICE_FAULT: once, sticky
  const Module* mutated_module = nullptr;  ///< whose mutant `removed_mutant` is on
  int removed_mutant = -1;
  bool counts = false;           ///< for executions(); checked build
  std::uint64_t most_steps = 0;  ///< basic blocks that a thread may run; 0: no limit
};

Settings settings();
/// Forgets errors and what is under way, and counts calls from one again. Memory stays.
void set(const Settings& settings);

/// `work` is done once, by the thread that launches a kernel next, before its launch: as if another
/// came between.
void before_next_launch(std::function<void()> work);

/// Calls so far that could have failed.
std::int64_t num_calls_that_can_fail();
/// What the program holds of the device: 0 when all is freed.
struct Holdings {
  std::size_t pieces_of_memory = 0, streams = 0, events = 0;
  bool operator==(const Holdings&) const = default;
};
Holdings holdings();

/// How often threads executed every opcode since set() asked for counts; from now on they are not
/// counted.
std::map<std::string, std::uint64_t> executions();

/// Symbols of the kernels launched since set().
std::set<std::string> launched_kernels();

/// The modules that are linked in; defined by the kernels.
const std::vector<const Module*>& modules();

}  // namespace heft::device_on_host
