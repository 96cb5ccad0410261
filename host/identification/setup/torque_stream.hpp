// Motion and torques of one recording in two files, for matching their clocks.
#pragma once

#include <Eigen/Core>
#include <string>
#include <utility>
#include <vector>

#include "heft/base/result.hpp"
#include "heft/log/log.hpp"
#include "heft/model/robot.hpp"
#include "heft/model/samples.hpp"

namespace heft {

/// Cut-off of both, so that they are filtered alike [Hz].
inline constexpr double kMatchingCutoff = 5;

/// Motion at some times [s].
struct MotionStream {
  Samples samples;
  double origin_s = 0;  ///< zero of the stamps [s since 1970], if they lost it
};

/// Torques on a uniform grid, low-passed.
struct TorqueStream {
  double first_s = 0, step_s = 0, origin_s = 0;
  Eigen::ArrayXXd torque;  ///< rows x channels, without their means
  Eigen::ArrayXXd slope;   ///< its derivative [1/s]

  double last_s() const { return first_s + step_s * static_cast<double>(torque.rows() - 1); }
  /// Returns value and slope by cubic interpolation, beyond the grid those of its end.
  std::pair<double, double> at(double time, Eigen::Index channel) const;
};

/// Returns the zero of the stamps that open_table gives [s since 1970]; 0 if stamps are unchanged.
Result<double> origin_of(const std::string& path, const LogFormat& format);

/// Reads at most an hour of the motion in one file. Errors: those of condition_log.
Result<MotionStream> read_motion_stream(const std::string& path, const Robot& robot,
                                        const std::vector<Channel>& channels,
                                        const LogFormat& format,
                                        const ConditioningOptions& conditioning);

/// Reads at most an hour of the named columns. Errors: those of the file; too few rows.
Result<TorqueStream> read_torque_stream(const std::string& path,
                                        const std::vector<std::string>& columns,
                                        const LogFormat& format);

}  // namespace heft
