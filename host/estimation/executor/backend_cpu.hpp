// The backend that is always there: chunks over threads, lanes = samples.
#pragma once

#include "heft/executor/executor.hpp"

namespace heft {

/// `why` it is taken instead of a GPU goes into its description, unless empty. Error if the
/// processor lacks the instructions asked for.
Result<std::unique_ptr<Backend>> make_cpu_backend(const BackendOptions& options,
                                                  const std::string& why = "");

}  // namespace heft
