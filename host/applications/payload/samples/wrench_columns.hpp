// Columns of a force-torque sensor's log: the position of each quantity, and the conversion of a
// row to the sensor's frame and the sign of samples.hpp.
#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "column_names.hpp"
#include "heft/base/result.hpp"
#include "heft/payload/options.hpp"

namespace heft::payload {

/// Index within a row of `columns` at which each quantity begins; -1: not in the log.
struct WrenchColumns {
  std::vector<int> columns;  ///< of the header, in the requested order
  int time = -1, w = -1, wd = -1, a = -1, g = -1, R = -1, f = -1, n = -1;
  int q = -1;          ///< x, y, z, w of a quaternion; used only if g and R do not suffice
  WrenchNames wrench;  ///< names of the columns at f and n

  bool uses_matrix = false;  ///< R gives the direction of gravity, or the rotation of the wrench

  bool moves() const { return w >= 0; }
  bool has_orientation() const { return g >= 0 || R >= 0 || q >= 0; }
};

/// Errors, at `where`: missing columns, with near misses; a wrench in the base's frame without an
/// orientation.
Result<WrenchColumns> find_wrench_columns(const std::vector<std::string>& header,
                                          const SensorOptions& options, const std::string& where);

/// One row in the sensor's frame; quantities that poses at rest lack are zero.
struct WrenchRow {
  double time = 0;
  Eigen::Vector3d w = Eigen::Vector3d::Zero(), wd = w, a = w, g = w, force = w, torque = w;
};

/// `values` are ordered like WrenchColumns::columns. Error, without its place, which the caller
/// knows: an invalid orientation.
Result<WrenchRow> wrench_row(const WrenchColumns& places, const double* values,
                             const SensorOptions& options);

/// fx..nz as logged.
Eigen::Matrix<double, 6, 1> logged_wrench(const WrenchColumns& places, const double* values);

}  // namespace heft::payload
