// Threads that test an excerpt: several faults in parallel, each on one thread. Excerpts are small,
// and distributing the rows of one fault over all threads would mostly wait.
#pragma once

#include "heft/base/result.hpp"
#include "heft/rows/backend.hpp"

namespace heft {

struct Workers {
  Backend& backend;  ///< computes on the calling thread; used by several
  int num_threads = 1;
  Progress progress = {};
};

}  // namespace heft
