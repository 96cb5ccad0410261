#include "uniform_grid.hpp"

#include <fmt/format.h>

namespace heft {

Error time_too_large(double time, double period) {
  return {fmt::format("t = {:.17g} s", time),
          fmt::format("the time is too large for steps of {:g} s: adjacent doubles differ by more",
                      period),
          "subtract the time of the first row from all times"};
}

void UniformGrid::interpolate(const LogRow& row, double time) {
  const double share = core::share_of_step(time, previous_.time, row.time);
  uniform_ = row;
  uniform_.time = time;
  for (std::size_t k = 0; k < row.values.size(); ++k)
    uniform_.values[k] = core::value_between(previous_.values[k], row.values[k], share);
  for (std::size_t k = 0; k < row.torque_flags.size(); ++k)
    uniform_.torque_flags[k] = row.torque_flags[k] | previous_.torque_flags[k];
}

}  // namespace heft
