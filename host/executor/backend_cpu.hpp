// The backend that is always there: chunks over threads, lanes = samples.
#pragma once

#include "heft/executor/executor.hpp"

namespace heft {

/// `threads` as in BackendOptions.
std::unique_ptr<Backend> make_cpu_backend(int threads);

}  // namespace heft
