// Unknowns of the IMU of a floating base: biases, and a small rotation relative to its frame. The
// rows are linear in them only at given inertias:
//   Y(m + dm) x = Y(m) x + dY/dm dm x0
#pragma once

#include <vector>

#include "heft/setup/setup.hpp"

namespace heft {

/// Torque of a reference robot for a block of samples, see make_load.
using Load = std::function<Result<Eigen::ArrayXXd>(const Samples& block)>;

/// The unknowns that the options request, and the first of their signals; one signal per unknown
/// and channel.
struct BaseUnknowns {
  std::vector<Column> columns;
  int first_signal = 0;
};

/// Makes the columns and appends their signals. `load_inertia`: inertias of the reference robot.
BaseUnknowns base_unknowns(const std::vector<Channel>& channels, const BaseSource& base,
                           const std::vector<double>& load_inertia, DerivedSignals& derived);

/// Returns the function that sets the signals.
BlockFunction base_unknowns_function(const BaseUnknowns& unknowns, const BaseSource& base,
                                     const Eigen::Isometry3d& X_root_frame, const Load& load);

}  // namespace heft
