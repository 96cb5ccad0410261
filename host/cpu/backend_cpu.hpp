// The backend that is always there: chunks over threads, lanes = samples.
#pragma once

#include "heft/backend.hpp"

namespace heft {

/// Error if the processor lacks the instructions asked for.
Result<std::unique_ptr<Backend>> make_cpu_backend(const BackendOptions& options);

}  // namespace heft
