// Stops work beside its caller when the caller leaves.
#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "heft/base/result.hpp"

namespace heft {

/// Stops work beside its caller (begin_work) as soon as the caller leaves the scope, for any
/// reason. Declare it after the future, which waits for the work.
class StopAtExit {
 public:
  StopAtExit() = default;
  ~StopAtExit() { *has_left_ = true; }
  StopAtExit(const StopAtExit&) = delete;
  StopAtExit& operator=(const StopAtExit&) = delete;

  /// Returns the progress of the work, which is silent and stops it.
  Progress progress() const {
    return [has_left = has_left_](const std::string&, double) { return !*has_left; };
  }

 private:
  std::shared_ptr<std::atomic<bool>> has_left_ = std::make_shared<std::atomic<bool>>(false);
};

}  // namespace heft
