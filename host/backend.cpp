// Picks the backend. This is the only place that knows them all.
#include "heft/backend.hpp"

#include "host/cpu/backend_cpu.hpp"
#include "kernels/moments/backend_cuda.hpp"

namespace heft {

std::int64_t packed_size(const RegressorPlan& plan, const AccumulateOptions& options) {
  return options.is_summed() ? core::packed_triangle(plan.summed_width) : plan.packed_size;
}

Result<std::unique_ptr<Backend>> make_backend(const BackendOptions& options) {
  if (options.kind != BackendKind::cpu) {
    auto cuda = make_cuda_backend({.threads = options.threads});
    if (cuda || options.kind == BackendKind::cuda) return cuda;
  }
  return make_cpu_backend(options);
}

std::vector<std::string> backend_inventory() {
  std::vector<std::string> lines{(*make_cpu_backend({}))->description()};
  auto cuda = make_cuda_backend();
  lines.push_back(cuda ? (*cuda)->description() : "cuda: " + cuda.error().what);
  return lines;
}

}  // namespace heft
