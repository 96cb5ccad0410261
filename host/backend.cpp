// Picks the backend. This is the only place that knows them all.
#include "heft/backend.hpp"

#include "host/cpu/backend_cpu.hpp"
#include "kernels/moments/backend_cuda.hpp"

namespace heft {

std::int64_t packed_size(const RegressorPlan& plan, const AccumulateOptions& options) {
  return options.is_summed() ? core::packed_triangle(plan.summed_width) : plan.packed_size;
}

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
    if (may_have_cuda_device()) return make_cpu_backend(options.threads, in_one_line(cuda.error()));
  }
  return make_cpu_backend(options.threads);
}

std::vector<std::string> backend_inventory() {
  std::vector<std::string> lines{make_cpu_backend(0)->description()};
  auto cuda = make_cuda_backend();
  lines.push_back(cuda ? (*cuda)->description() : "cuda: " + in_one_line(cuda.error()));
  return lines;
}

}  // namespace heft
