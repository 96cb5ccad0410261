// The backend that is always there: chunks over threads, lanes = samples.
#pragma once

#include "heft/backend.hpp"

namespace heft {

/// `threads` as in BackendOptions. `why` it is taken instead of a GPU goes into its description, unless empty.
std::unique_ptr<Backend> make_cpu_backend(int threads, const std::string& why = "");

}  // namespace heft
