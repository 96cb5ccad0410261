// The backend that is always there: chunks over threads, lanes = samples.
#pragma once

#include "heft/executor/executor.hpp"

namespace heft {

/// `threads`: 0 for one per hardware thread.
std::unique_ptr<Backend> make_cpu_backend(int threads);

}  // namespace heft
