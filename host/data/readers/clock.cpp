#include "readers/clock.hpp"

#include <fmt/format.h>

#include <cmath>

namespace heft {

Error Clock::fault(double time, const std::string& where) const {
  if (std::isnan(time)) return Error{where, "the time is missing", "fix or delete the line"};
  return Error{
      where, fmt::format("time goes backwards, from {:.9g} s to {:.9g} s", time_, time),
      "split the file here if a second recording starts; else its stamps mix two clocks, or lost digits when "
      "they were printed: log the controller's own time"};
}

}  // namespace heft
