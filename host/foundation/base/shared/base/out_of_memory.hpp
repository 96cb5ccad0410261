// Recognizes a lack of device memory among the errors of a device.
#pragma once

#include "heft/base/result.hpp"

namespace heft {

/// Returns whether the memory of a device did not suffice: less work at a time, or another
/// processor, may succeed. CUDA's description of the error ends Error::what.
inline bool is_out_of_memory(const Error& error) {
  return !error.is_stop && error.what.ends_with("out of memory");
}

}  // namespace heft
