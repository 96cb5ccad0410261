// Who asks an excerpt: several faults are looked at side by side, each on one thread. Excerpts are
// small, and rows of one fault shared out to all threads would wait for each other most of the
// time.
#pragma once

#include "heft/base/result.hpp"
#include "heft/rows/backend.hpp"

namespace heft {

struct Workers {
  Backend& backend;  ///< computes on the thread that calls, of which there may be several
  int num_threads = 1;
  Progress progress = {};
};

}  // namespace heft
