// How the threads of a block share the work on one problem. semismooth.hpp uses only the two forms
// below, so the same code runs in a block on the device and in an emulated block on the host.
//
// A Block has size(), its number of threads, a power of two, and together(work), which calls
// work(thread) on every thread and lets none continue before all are done. All threads call the
// same functions in the same order with the same arguments; values written outside of together()
// belong to the thread.
#pragma once

#include "heft/core/platform.hpp"

namespace heft::cuda {

/// Calls work(i) for every i < count, one thread each; afterward all threads see what it wrote.
/// No other index of the call may read or write the data that work(i) writes.
template <class Block, class Work>
HEFT_HD void each(const Block& block, int count, const Work& work) {
  block.together([&](int thread) {
    for (int i = thread; i < count; i += block.size()) work(i);
  });
}

/// Sum of term(i) over i < count, the same bits in every thread. `scratch`: one number per thread.
template <class Block, class Term>
HEFT_HD double sum(const Block& block, int count, double* scratch, const Term& term) {
  block.together([&](int thread) {
    double own = 0;
    for (int i = thread; i < count; i += block.size()) own += term(i);
    scratch[thread] = own;
  });
  for (int half = block.size() / 2; half > 0; half /= 2)
    block.together([&](int thread) {
      if (thread < half) scratch[thread] += scratch[thread + half];
    });
  const double total = scratch[0];
  block.together([](int) {});  // all have read it before the scratch is used again
  return total;
}

}  // namespace heft::cuda
