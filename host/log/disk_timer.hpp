// What reading a file takes, added up.
#pragma once

#include <chrono>

namespace heft {

/// Adds the time until it goes out of scope to `seconds`.
class DiskTimer {
 public:
  explicit DiskTimer(double& seconds) : seconds_(seconds) {}
  ~DiskTimer() { seconds_ += std::chrono::duration<double>(Clock::now() - start_).count(); }
  DiskTimer(const DiskTimer&) = delete;
  DiskTimer& operator=(const DiskTimer&) = delete;

 private:
  using Clock = std::chrono::steady_clock;
  double& seconds_;
  Clock::time_point start_ = Clock::now();
};

}  // namespace heft
