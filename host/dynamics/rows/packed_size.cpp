#include "heft/rows/backend.hpp"

namespace heft {

std::int64_t packed_size(const RegressorPlan& plan, const AccumulateOptions& options) {
  return options.is_summed() ? core::packed_triangle(plan.summed_width) : plan.packed_size;
}

}  // namespace heft
