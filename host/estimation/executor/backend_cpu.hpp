// CPU backend, always available: chunks are distributed over threads, lanes are samples.
#pragma once

#include "heft/executor/executor.hpp"

namespace heft {

/// The description includes `why` it replaces a GPU, unless empty. Error: the processor lacks the
/// requested instructions.
Result<std::unique_ptr<Backend>> make_cpu_backend(const BackendOptions& options,
                                                  const std::string& why = "");

}  // namespace heft
