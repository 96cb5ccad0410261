#include "uniform_grid.hpp"

#include <algorithm>

namespace heft {

void UniformGrid::interpolate(const LogRow& row, double time) {
  const double share = std::clamp((time - previous_.time) / (row.time - previous_.time), 0.0, 1.0);
  uniform_ = row;
  uniform_.time = time;
  for (std::size_t k = 0; k < row.values.size(); ++k)
    uniform_.values[k] = previous_.values[k] + share * (row.values[k] - previous_.values[k]);
  for (std::size_t k = 0; k < row.torque_flags.size(); ++k)
    uniform_.torque_flags[k] = row.torque_flags[k] | previous_.torque_flags[k];
}

}  // namespace heft
