// What a simulation can be asked for.
#include <fmt/format.h>

#include <utility>

#include "heft/simulate/simulate.hpp"

namespace heft {

namespace {

constexpr double kMaxRows = 1e8;  ///< of a log

}  // namespace

Result<Done> check_simulation(const SimulateOptions& options) {
  if (!(options.duration_s > 0) || !(options.rate_hz > 0) ||
      !(options.duration_s * options.rate_hz <= kMaxRows))
    return Error{"simulate", "a log needs a positive length and rate, and at most 1e8 rows",
                 "change the duration, that of the held-out log, or the rate"};
  if (!(options.speed > 0 && options.speed <= 1))
    return Error{"speed", "is not a fraction of the velocity limits", "give a number above 0, up to 1"};
  const struct {
    const char* name;
    double value, largest;
  } sizes[] = {{"perturbation", options.perturbation, 3},
               {"friction", options.friction, 1e3},
               {"torque_noise", options.torque_noise, 1e3},
               {"encoder_counts", options.encoder_counts, 1e15}};
  for (const auto& [name, value, largest] : sizes)
    if (!(value >= 0 && value <= largest))
      return Error{name, "is out of range", fmt::format("give a number from 0 to {:g}", largest)};
  return Done{};
}

}  // namespace heft
