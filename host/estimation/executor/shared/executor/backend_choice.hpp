// What `backend: auto` chooses: a cost model of counted work, with constants for rates, so that
// equal input on one machine always gets the same backend and thus the same bits
// (docs/gpu.md, "When to use it"). Threads: stateless.
#pragma once

#include <memory>
#include <string>

#include "heft/executor/executor.hpp"
#include "heft/model/regressor_plan.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// Work of a run, counted before it begins.
struct BackendWork {
  double samples = 0;                   ///< that are summed, in all passes
  double products = 0;                  ///< multiply-adds of all of them
  double bytes_up = 0, bytes_down = 0;  ///< of samples and sums, if a device sums them
  double problems = 0;                  ///< that are solved in batches
  int unknowns = 0;                     ///< of each problem
};

/// Returns about how many samples a log of this many bytes has: rows of a time, positions and
/// torques with eight bytes each.
double samples_in(double num_bytes, const RegressorPlan& plan);

/// Adds the sums of a log with `samples` samples, `passes` times.
void add_log(const RegressorPlan& plan, double samples, int passes, BackendWork& work);

/// Counted properties of a machine.
struct BackendMachine {
  int threads = 1;          ///< of the processor: results do not depend on --threads
  double device_speed = 1;  ///< cuda_device_speed()
};

/// Estimated times of the same work [s].
struct BackendSeconds {
  double host = 0;    ///< on all threads of the processor
  double device = 0;  ///< with a device that has started
};
BackendSeconds seconds_of(const BackendWork& work, const BackendMachine& machine);

/// Time in which CUDA starts [s].
inline constexpr double kDeviceStart = 0.4;

/// Returns whether a device that takes `device` seconds is chosen where the host takes `host`: only
/// if it is twice as fast, because estimates are no better.
constexpr bool is_device_worth(double host, double device) {
  return 2 * device < host;
}

struct BackendChoice {
  bool is_device = false;
  std::string because;  ///< with figures
};

/// Chooses between the host and a device that has not started yet.
BackendChoice choose_backend(const BackendWork& work, const BackendMachine& machine);

/// Does the same for this machine. Looks for a device only if an H100 would be chosen. Without a
/// CUDA driver, returns the CPU and no reason.
BackendChoice choose_backend(const BackendWork& work);

/// Compares the times of this machine and an H100, which was not started, for work that goes to the
/// CPU anyway. Empty without a CUDA driver.
std::string compared_times(const BackendWork& work);

struct ChosenExecutor {
  std::shared_ptr<Executor> executor;
  std::string because;  ///< empty: there was no choice
};

/// Makes an executor for the work. Only `automatic` chooses. Errors: those of make_executor().
Result<ChosenExecutor> choose_executor(const BackendOptions& options, const BackendWork& work);

}  // namespace heft
#pragma GCC visibility pop
