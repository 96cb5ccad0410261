// Seconds per stage, for the summary.
#pragma once

#include <map>
#include <string>

#include "base/seconds_into.hpp"

namespace heft {

/// Adds the seconds from its construction to its destruction to a stage.
class StageTimer : public SecondsInto {
 public:
  StageTimer(std::map<std::string, double>& timings_s, const char* stage)
      : SecondsInto(timings_s[stage]) {}
};

}  // namespace heft
