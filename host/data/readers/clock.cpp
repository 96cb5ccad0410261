#include "readers/clock.hpp"

#include <fmt/format.h>

#include <cmath>

namespace heft {

Error Clock::fault(double time, const std::string& where) const {
  if (std::isnan(time)) return Error{where, "the time is missing", "fix or delete the line"};
  return Error{
      where, fmt::format("time goes backwards, from {:.9g} s to {:.9g} s", time_, time),
      "if a second recording starts here, split the file; otherwise the stamps come from two "
      "clocks or were rounded when written: log the controller's time"};
}

}  // namespace heft
