// Picks the backend. This is the only place that knows them all.
#include "backend_cpu.hpp"
#include "heft/executor/executor.hpp"
#include "kernels/backend_cuda.hpp"
#include "kernels/batch_cuda.hpp"

namespace heft {

Result<std::unique_ptr<Backend>> make_backend(const BackendOptions& options) {
  if (options.kind != BackendKind::cpu) {
    auto cuda = make_cuda_backend({.threads = options.threads});
    if (cuda || options.kind == BackendKind::cuda) return cuda;
  }
  return make_cpu_backend(options.threads);
}

Result<std::shared_ptr<DeviceBatchSolver>> make_batch_device(BackendKind kind) {
  if (kind != BackendKind::cpu) {
    auto cuda = make_cuda_batch_solver();
    if (cuda) return std::shared_ptr<DeviceBatchSolver>(std::move(*cuda));
    if (kind == BackendKind::cuda) return cuda.error();
  }
  return std::shared_ptr<DeviceBatchSolver>();
}

std::vector<std::string> backend_inventory() {
  std::vector<std::string> lines{make_cpu_backend(0)->description()};
  auto cuda = make_cuda_backend();
  lines.push_back(cuda ? (*cuda)->description() : "cuda: " + cuda.error().what);
  return lines;
}

}  // namespace heft
