// Work that runs beside its caller.
#pragma once

#include <future>
#include <system_error>
#include <utility>

namespace heft {

/// Begins `work` in another thread if `beside`, otherwise when its result is asked for: get() of
/// the future that is returned. The future waits for the work when it is destroyed. Where the
/// system cannot create a thread, the work runs in the caller as well.
template <class Work>
auto begin_work(bool beside, Work work) {
  if (beside) {
    try {
      return std::async(std::launch::async, work);
    } catch (const std::system_error&) {
    }
  }
  return std::async(std::launch::deferred, std::move(work));
}

}  // namespace heft
