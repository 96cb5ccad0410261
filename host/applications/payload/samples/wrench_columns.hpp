// What the columns of a log of a force-torque sensor mean: where each quantity stands, and a row
// brought into the sensor's frame and the sign of samples.hpp.
#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "column_names.hpp"
#include "heft/base/result.hpp"
#include "heft/payload/options.hpp"

namespace heft::payload {

/// Where in a row of `columns` each quantity begins; -1: the log has none.
struct WrenchColumns {
  std::vector<int> columns;  ///< of the header, in the order wanted
  int time = -1, w = -1, wd = -1, a = -1, g = -1, R = -1, f = -1, n = -1;
  int q = -1;          ///< x, y, z, w of a quaternion, where neither g nor R would do
  WrenchNames wrench;  ///< names of the columns at f and n

  bool uses_matrix = false;  ///< at R: it says where gravity is, or how the wrench is turned

  bool moves() const { return w >= 0; }
  bool has_orientation() const { return g >= 0 || R >= 0 || q >= 0; }
};

/// Errors, at `where`: columns that are missing, with near misses; a wrench in the base's frame
/// without an orientation.
Result<WrenchColumns> find_wrench_columns(const std::vector<std::string>& header,
                                          const SensorOptions& options, const std::string& where);

/// One row in the sensor's frame; zero what poses at rest do not have.
struct WrenchRow {
  double time = 0;
  Eigen::Vector3d w = Eigen::Vector3d::Zero(), wd = w, a = w, g = w, force = w, torque = w;
};

/// `values` as WrenchColumns::columns. Error, of which the caller knows where: an orientation that
/// is none.
Result<WrenchRow> wrench_row(const WrenchColumns& places, const double* values,
                             const SensorOptions& options);

/// fx..nz as the log has them.
Eigen::Matrix<double, 6, 1> logged_wrench(const WrenchColumns& places, const double* values);

}  // namespace heft::payload
