// Adds the time spent in a scope to a counter.
#pragma once

#include <chrono>

namespace heft {

/// Adds the seconds from its construction to its destruction to a sum.
class SecondsInto {
 public:
  explicit SecondsInto(double& seconds) : seconds_(seconds) {}
  ~SecondsInto() { seconds_ += std::chrono::duration<double>(Clock::now() - start_).count(); }
  SecondsInto(const SecondsInto&) = delete;
  SecondsInto& operator=(const SecondsInto&) = delete;

 private:
  using Clock = std::chrono::steady_clock;
  double& seconds_;
  Clock::time_point start_ = Clock::now();
};

}  // namespace heft
