// Many payloads at once, from arrays: thousands of grasps, each with its certificate. Neither
// diagnosis nor intervals: weigh_payload has those, one payload at a time. Threads: any number of
// threads may call, each with objects of its own; what is const may be shared. A call makes
// `num_threads` threads.
#pragma once

#include <vector>

#include "heft/base/progress.hpp"
#include "heft/payload/payload.hpp"

#pragma GCC visibility push(default)
namespace heft {

class Executor;

struct PayloadTask {
  const WrenchSamples* samples = nullptr;
  const PayloadShape* shape = nullptr;  ///< may be shared by many
};

/// Answers of method `auto` in the order of the tasks; what cannot be weighed has
/// PayloadAnswer::failure. Neither the number of threads nor a task's neighbors change its answer.
/// Errors: a task without samples or shape, no thread; stopped().
Result<std::vector<PayloadAnswer>> weigh_batch(const std::vector<PayloadTask>& tasks,
                                               const PayloadOptions& options, int num_threads = 1,
                                               const Progress& progress = {});

/// The same by an executor that has a device: sums are made on `num_threads` threads, the convex
/// problems of all payloads solved together (SolveCount "payloads"), and each answer is certified
/// here. Answers are those of above to the gap of their certificates, a number of the objective in
/// ten. Errors besides: a device that breaks down. Without a device it is the above.
Result<std::vector<PayloadAnswer>> weigh_batch(const std::vector<PayloadTask>& tasks,
                                               const PayloadOptions& options, Executor& executor,
                                               int num_threads = 1, const Progress& progress = {});

}  // namespace heft
#pragma GCC visibility pop
