// Who does the work, chosen once: threads of the CPU, which are always there, or a CUDA device, which in a build without
// nvcc is a stub that says so.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "heft/rows/backend.hpp"
#include "heft/solve/solve_batch.hpp"

#pragma GCC visibility push(default)
namespace heft {

enum class BackendKind { automatic, cpu, cuda };

struct BackendOptions {
  BackendKind kind = BackendKind::automatic;
  int threads = 0;  ///< of the host, which with a GPU filters rows; 0: one per hardware thread
};

/// `automatic` takes the GPU if there is one and the CPU otherwise; `cuda` never falls back.
Result<std::unique_ptr<Backend>> make_backend(const BackendOptions& options = {});

/// A device for BatchOptions::device, or null for the lanes of the CPU. `automatic` and `cuda` as above.
Result<std::shared_ptr<DeviceBatchSolver>> make_batch_device(BackendKind kind);

/// One line a backend for `heft info`: what it is, or why it is not available.
std::vector<std::string> backend_inventory();

}  // namespace heft
#pragma GCC visibility pop
