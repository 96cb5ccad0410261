// Clean, uniformly sampled data in structure-of-arrays form: the output of conditioning and the
// input of the backends. Threads: plain values; concurrent reads are safe, a writer needs exclusive
// access.
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

/// Samples of one segment. Rows are samples, columns are coordinates, channels or signals; every
/// column is contiguous. All values are finite. An entry (sample, channel) with weight 0 is not
/// used and has torque 0.
struct Samples {
  Eigen::ArrayXd time;           ///< [s], as in the log
  Eigen::ArrayXXd position;      ///< num_samples x num_coordinates, [rad] or [m]
  Eigen::ArrayXXd velocity;      ///< num_samples x num_coordinates, [rad/s] or [m/s]
  Eigen::ArrayXXd acceleration;  ///< num_samples x num_coordinates, [rad/s^2] or [m/s^2]
  Eigen::ArrayXXd base_motion;   ///< num_samples x 9: w, wd, a - g in base axes; empty with a fixed
                                 ///< base
  Eigen::ArrayXXd torque;        ///< num_samples x num_channels: measured minus known, [N m] or [N]
  Eigen::ArrayXXd known_torque;  ///< torque subtracted from the measured one, same shape as
                                 ///< `torque`; empty if nothing was subtracted
  /// num_samples x num_channels, not negative: a factor on the row. Sums contain its square, which
  /// is the weight of weighted least squares. 0: not used. Weights from logs are 0 or 1. Backends
  /// also accept an empty array: all 1.
  Eigen::ArrayXXd weight;
  Eigen::ArrayXXd signal;  ///< num_samples x num_signals: values of the extra columns' expressions
  /// The data from which low-passed rows are evaluated, at the full rate and with guards around the
  /// block. Null if rows are not filtered.
  std::shared_ptr<const UnfilteredMotion> unfiltered = nullptr;

  Eigen::Index size() const { return time.size(); }
};

/// The meaning of the columns of an array of samples.
enum class SampleColumn {
  coordinate,
  base,  ///< nine for a moving base, zero for a fixed one
  channel,
  signal,
};

/// Description of one array of Samples.
struct SampleArray {
  const char* name;
  Eigen::ArrayXXd Samples::* member;
  const char* unit;  ///< of a revolute joint or a force; "" where columns differ
  SampleColumn per;
  const double* core::SampleView::* view;  ///< pointer that the kernels read; null: the array is
                                           ///< only reported
};

/// All arrays except `time`, in the order of moments files and of transfers to a device.
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

/// The arrays from which rows and their sums are computed: all but the last.
inline constexpr std::span<const SampleArray> kEvaluatedArrays =
    std::span<const SampleArray>(kSampleArrays).first<std::size(kSampleArrays) - 1>();

/// Calls `function(array, numbers)` for every array except `time`.
template <class SamplesType, class Function>
void for_each_array(SamplesType& samples, const Function& function,
                    std::span<const SampleArray> arrays = kSampleArrays) {
  for (const SampleArray& array : arrays) function(array, samples.*array.member);
}

/// Count of unused rows by reason; a sample dropped before it had rows counts once per channel.
using DroppedRows = std::map<std::string, long long>;

}  // namespace heft
#pragma GCC visibility pop
