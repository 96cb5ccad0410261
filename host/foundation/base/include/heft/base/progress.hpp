// How far a long call has come, and whether it is to go on.
// Threads: a Progress is called on the thread that made the long call, and on no other.
#pragma once

#include <functional>
#include <string>

#include "heft/base/result.hpp"

namespace heft {

/// Hears from a long call, on the thread that made it, what is being done and how much of it, 0 to
/// 1; answers whether to go on. After `false` the call ends soon, with stopped(), leaves no file
/// behind and touches none; every object that it was given is as it was.
using Progress = std::function<bool(const std::string& stage, double fraction)>;

/// The error of a call whose Progress said no: Error::is_stop.
inline Error stopped() {
  return {.where = "",
          .what = "stopped before the end",
          .remedy = "call again for an answer",
          .is_stop = true};
}

/// Tells who listens, if anybody does. Error: stopped().
inline Result<Done> report_progress(const Progress& progress, const std::string& stage,
                                    double fraction) {
  if (progress && !progress(stage, fraction)) return stopped();
  return Done{};
}

}  // namespace heft
