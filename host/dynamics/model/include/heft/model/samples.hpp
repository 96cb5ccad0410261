// Clean, uniform, structure-of-arrays samples: what conditioning makes and what the backends read.
// Threads: plain values: share them for reading; a thread that changes one must own it.
#pragma once

#include <Eigen/Core>
#include <iterator>
#include <map>
#include <memory>
#include <span>
#include <string>

#include "heft/core/sample_view.hpp"

#pragma GCC visibility push(default)
namespace heft {

struct UnfilteredMotion;  // host/dynamics/rows/shared/rows/unfiltered_motion.hpp

/// Rows are samples, columns are coordinates, channels or signals; every column is contiguous. All
/// values are finite. A row (sample, channel) with weight 0 is not used; its torque is then 0.
struct Samples {
  Eigen::ArrayXd time;           ///< [s], as in the log
  Eigen::ArrayXXd position;      ///< num_samples x num_coordinates, [rad] or [m]
  Eigen::ArrayXXd velocity;      ///< num_samples x num_coordinates, [rad/s] or [m/s]
  Eigen::ArrayXXd acceleration;  ///< num_samples x num_coordinates, [rad/s^2] or [m/s^2]
  Eigen::ArrayXXd base_motion;   ///< num_samples x 9: w, wd, a - g in base axes; empty with a fixed
                                 ///< base
  Eigen::ArrayXXd torque;        ///< num_samples x num_channels: measured minus known, [N m] or [N]
  Eigen::ArrayXXd known_torque;  ///< what was subtracted of the measured torque, like torque; empty
                                 ///< if nothing was
  /// num_samples x num_channels, not negative: a factor on the row, whose square the sums hold: the
  /// square root of what weighted least squares calls a weight. 0: not used; from a log it is 0
  /// or 1. Backends also take none for all 1.
  Eigen::ArrayXXd weight;
  Eigen::ArrayXXd signal;  ///< num_samples x num_signals: what the extra columns' expressions give
  /// If rows go through a low-pass before they are multiplied: what they are evaluated from, at the
  /// full rate and with guards around the block. Otherwise null.
  std::shared_ptr<const UnfilteredMotion> unfiltered = nullptr;

  Eigen::Index size() const { return time.size(); }
};

/// What an array of samples has a column for.
enum class SampleColumn {
  coordinate,
  base,  ///< nine of a base that moves, none of a fixed one
  channel,
  signal,
};

/// One of the arrays of Samples.
struct SampleArray {
  const char* name;
  Eigen::ArrayXXd Samples::*member;
  const char* unit;  ///< of a revolute joint or a force; "" where columns differ
  SampleColumn per;
  const double* core::SampleView::*view;  ///< where rows and their sums are made from it; null: it
                                          ///< is only reported
};

/// All of them, in the order of moments files and of transfers to a device.
inline constexpr SampleArray kSampleArrays[] = {
    {"position", &Samples::position, "rad", SampleColumn::coordinate, &core::SampleView::position},
    {"velocity", &Samples::velocity, "rad/s", SampleColumn::coordinate,
     &core::SampleView::velocity},
    {"acceleration", &Samples::acceleration, "rad/s^2", SampleColumn::coordinate,
     &core::SampleView::acceleration},
    {"base_motion", &Samples::base_motion, "", SampleColumn::base, &core::SampleView::base_motion},
    {"torque", &Samples::torque, "N m", SampleColumn::channel, &core::SampleView::torque},
    {"weight", &Samples::weight, "1", SampleColumn::channel, &core::SampleView::weight},
    {"signal", &Samples::signal, "", SampleColumn::signal, &core::SampleView::signal},
    {"known_torque", &Samples::known_torque, "N m", SampleColumn::channel, nullptr},
};

/// Those that rows and their sums are made of: all but the last.
inline constexpr std::span<const SampleArray> kEvaluatedArrays =
    std::span<const SampleArray>(kSampleArrays).first<std::size(kSampleArrays) - 1>();

/// Calls `function(array, numbers)` for every array; `time` is none of them.
template <class SamplesType, class Function>
void for_each_array(SamplesType& samples, const Function& function,
                    std::span<const SampleArray> arrays = kSampleArrays) {
  for (const SampleArray& array : arrays) function(array, samples.*array.member);
}

/// How many rows were not used, by reason; a sample dropped before it had rows counts once per
/// channel.
using DroppedRows = std::map<std::string, long long>;

}  // namespace heft
#pragma GCC visibility pop
