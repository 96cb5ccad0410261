// Work that runs beside its caller.
#pragma once

#include <chrono>
#include <future>
#include <string>
#include <system_error>
#include <utility>

#include "heft/base/result.hpp"

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

/// Returns the result of work that was begun; asks `progress` while it waits for another thread.
/// Errors: those of the work; stopped().
template <class T>
Result<T> awaited(std::future<Result<T>>& work, const Progress& progress,
                  const std::string& stage) {
  constexpr std::chrono::milliseconds kBetweenReports{50};
  while (work.wait_for(kBetweenReports) == std::future_status::timeout)
    HEFT_CHECK(report_progress(progress, stage, 0));
  return work.get();
}

}  // namespace heft
