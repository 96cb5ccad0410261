// Rejects invalid conditioning options before the first row is read.
#pragma once

#include <cstddef>
#include <vector>

#include "heft/base/result.hpp"
#include "heft/log/log.hpp"

namespace heft {

Result<Done> check_conditioning(const LogFormat& format, const ConditioningOptions& options,
                                int num_coordinates, int num_channels);

/// Returns entry k of an option that may be empty (then `otherwise`) or hold one value for all.
inline double option_of(const std::vector<double>& values, std::size_t k, double otherwise) {
  if (values.empty()) return otherwise;
  return values.size() == 1 ? values.front() : values[k];
}

}  // namespace heft
