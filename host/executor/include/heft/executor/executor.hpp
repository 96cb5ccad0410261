// Who does the work, chosen once: threads of the CPU, which are always there, or a CUDA device, which in a build without
// nvcc is a stub that says so.
// Threads: any number of threads may call; what is made may be shared, its calls take turns.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "heft/rows/backend.hpp"
#include "heft/solve/solve_batch.hpp"

#pragma GCC visibility push(default)
namespace heft {

enum class BackendKind { automatic, cpu, cuda };

/// Vector instructions of the CPU backend; `baseline` are those that every processor of its kind has.
enum class InstructionSet { widest, avx512, avx2, neon, baseline };

const char* name(InstructionSet set);

/// Those that this program has code for and this processor runs, the widest first.
std::vector<InstructionSet> available_instruction_sets();

struct BackendOptions {
  BackendKind kind = BackendKind::automatic;
  int threads = 0;  ///< of the host, which with a GPU filters rows; 0: one per hardware thread
  InstructionSet instruction_set =
      InstructionSet::widest;  ///< to measure another; no option of the YAML file
};

/// `automatic` takes the GPU if there is one and the CPU otherwise; `cuda` never falls back. Error also if the processor
/// lacks the instructions asked for.
Result<std::unique_ptr<Backend>> make_backend(const BackendOptions& options = {});

/// A device for BatchOptions::device, or null for the lanes of the CPU. `automatic` and `cuda` as above.
Result<std::shared_ptr<DeviceBatchSolver>> make_batch_device(BackendKind kind);

/// One line a backend for `heft info`: what it is, or why it is not available.
std::vector<std::string> backend_inventory();

}  // namespace heft
#pragma GCC visibility pop
