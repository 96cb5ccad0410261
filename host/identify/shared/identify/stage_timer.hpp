// Seconds by stage, for the summary.
#pragma once

#include <chrono>
#include <map>
#include <string>

namespace heft {

/// Adds the seconds since its construction to a stage when it goes out of scope.
class StageTimer {
 public:
  StageTimer(std::map<std::string, double>& timings_s, const char* stage) : seconds_(timings_s[stage]) {}
  ~StageTimer() { seconds_ += std::chrono::duration<double>(Clock::now() - start_).count(); }

 private:
  using Clock = std::chrono::steady_clock;
  double& seconds_;
  Clock::time_point start_ = Clock::now();
};

}  // namespace heft
