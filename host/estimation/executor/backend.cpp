// Selects the backend. This is the only file that knows all of them.
#include <algorithm>
#include <iterator>
#include <string_view>

#include "backend_cpu.hpp"
#include "backend_with_host.hpp"
#include "base/out_of_memory.hpp"
#include "base/parallel_for.hpp"
#include "executor/device_errors.hpp"
#include "executor/log_conditioner.hpp"
#include "heft/executor/executor.hpp"
#include "kernels/backend_cuda.hpp"
#include "kernels/batch_cuda.hpp"
#include "kernels/condition_cuda.hpp"
#include "kernels/device_errors.hpp"

namespace heft {

namespace {

/// Formats an error on one line.
std::string in_one_line(const Error& error) {
  return error.remedy.empty() ? error.what : error.what + " (" + error.remedy + ")";
}

}  // namespace

Result<std::unique_ptr<Backend>> make_backend(const BackendOptions& options) {
  if (options.kind != BackendKind::cpu) {
    auto cuda = make_cuda_backend({.threads = options.threads});
    if (cuda) return with_host_beside(std::move(*cuda), options);
    if (options.kind == BackendKind::cuda) return cuda;
    if (may_have_cuda_device()) return make_cpu_backend(options, in_one_line(cuda.error()));
  }
  return make_cpu_backend(options);
}

Result<std::shared_ptr<Executor>> make_executor(const BackendOptions& options) {
  const auto with = [&](std::unique_ptr<Backend> rows, std::shared_ptr<DeviceBatchSolver> device) {
    return std::make_shared<Executor>(std::move(rows), std::move(device),
                                      threads_for(options.threads));
  };
  std::string why;
  if (options.kind != BackendKind::cpu) {
    auto cuda = make_cuda_backend({.threads = options.threads});
    auto solver =
        cuda ? make_cuda_batch_solver() : Result<std::unique_ptr<DeviceBatchSolver>>(cuda.error());
    if (cuda && solver)
      return with(with_host_beside(std::move(*cuda), options),
                  with_host_beside(std::move(*solver)));
    if (options.kind == BackendKind::cuda) return solver.error();
    if (may_have_cuda_device()) why = in_one_line(solver.error());
  }
  HEFT_TRY(cpu, make_cpu_backend(options, why));
  return with(std::move(cpu), nullptr);
}

Result<std::shared_ptr<DeviceConditioner>> log_conditioner(const Executor& executor) {
  // an executor made of other parts has a device that only solves
  if (!executor.has_device() || !executor.description().starts_with("cuda"))
    return std::shared_ptr<DeviceConditioner>();
  HEFT_TRY(conditioner, make_cuda_conditioner());
  return std::shared_ptr<DeviceConditioner>(std::move(conditioner));
}

bool is_device_lost(const Error& error) {
  constexpr std::string_view kPlaces[] = {cuda::kMomentsBackend, cuda::kBatchOnCuda,
                                          cuda::kConditioningOnCuda, cuda::kCusolver};
  return !error.is_stop && std::ranges::find(kPlaces, error.where) != std::end(kPlaces) &&
         !is_out_of_memory(error);
}

std::vector<std::string> backend_inventory() {
  std::vector<std::string> lines{(*make_cpu_backend({}))->description()};
  auto cuda = make_cuda_backend();
  lines.push_back(cuda ? (*cuda)->description() : "cuda: " + in_one_line(cuda.error()));
  return lines;
}

}  // namespace heft
