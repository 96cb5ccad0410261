// Picks the backend. This is the only place that knows them all.
#include "backend_cpu.hpp"
#include "heft/executor/executor.hpp"
#include "kernels/backend_cuda.hpp"
#include "kernels/batch_cuda.hpp"

namespace heft {

namespace {

/// An error on one line.
std::string in_one_line(const Error& error) {
  return error.remedy.empty() ? error.what : error.what + " (" + error.remedy + ")";
}

}  // namespace

Result<std::unique_ptr<Backend>> make_backend(const BackendOptions& options) {
  if (options.kind != BackendKind::cpu) {
    auto cuda = make_cuda_backend({.threads = options.threads});
    if (cuda || options.kind == BackendKind::cuda) return cuda;
    if (may_have_cuda_device()) return make_cpu_backend(options, in_one_line(cuda.error()));
  }
  return make_cpu_backend(options);
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
  std::vector<std::string> lines{(*make_cpu_backend({}))->description()};
  auto cuda = make_cuda_backend();
  lines.push_back(cuda ? (*cuda)->description() : "cuda: " + in_one_line(cuda.error()));
  return lines;
}

}  // namespace heft
