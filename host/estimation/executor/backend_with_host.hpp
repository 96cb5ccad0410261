// A device with the CPU beside it, for calls that the device's memory cannot hold even one piece
// at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "heft/executor/executor.hpp"
#include "solve/device_batch_solver.hpp"

namespace heft {

/// Computes on `device`, and on a CPU backend with `options` what lacks memory there. The
/// description is that of the device: names of a fleet's pieces depend on it.
std::unique_ptr<Backend> with_host_beside(std::unique_ptr<Backend> device,
                                          const BackendOptions& options);

/// Solves on `device`, and leaves problems that its memory cannot hold unsolved: solve_batch() then
/// solves them on the CPU.
std::unique_ptr<DeviceBatchSolver> with_host_beside(std::unique_ptr<DeviceBatchSolver> device);

/// Calls that the CPU computed in place of a device.
struct CallsOnHost {
  std::string by;  ///< description of the CPU
  std::int64_t num_calls = 0;
};

/// Returns such calls of a backend; none of a backend without a host beside it.
CallsOnHost calls_on_host(const Backend& backend);

}  // namespace heft
