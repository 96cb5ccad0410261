// Work of the moments' kernels: robots whose shape determines the kernel and its form, and jobs on
// their samples.
#pragma once

#include <memory>

#include "kernels/backend_cuda.hpp"
#include "tests/conformance/random_samples.hpp"
#include "tests/device_on_host/device_work.hpp"

namespace heft::testing {

inline constexpr double kDouble = 1e-12, kFloat = 1e-5;  ///< tolerances of sums

/// A robot, samples of it, and rows of random numbers in place of its own.
struct Robotic {
  PlanPtr plan;
  RandomSamples data;
  std::vector<RowArray> rows;

  /// Of `num_samples` independent samples, whose weights are 0 or between 0.3 and 1.
  Robotic(const Robot& robot, const std::vector<Column>& columns, int num_samples, int seed);
};
using RoboticPtr = std::shared_ptr<const Robotic>;

/// A bit of everything: joints of all types, rotors, mimics, massless links, columns of every kind.
RoboticPtr everything(int num_bodies, bool floating_base, int num_samples, int seed);

/// A chain of links, each on the last.
struct ChainOptions {
  int num_massless = 0;  ///< links without parameters, which come first: many channels, few columns
  int num_links = 1;     ///< that follow
  int num_coordinates = 0;  ///< that move them in turn; 0: each has its own. Few coordinates: few
                            ///< channels, wide rows
  /// Type of every other link's joint: a prismatic one keeps 4 columns, a helical one 9, which are
  /// two strips of a tile.
  JointType other = JointType::revolute;
  JointType last = JointType::revolute;  ///< type of the last one's, where `other` is not
  int num_columns = 0;                   ///< extra ones of the first joint
};
RoboticPtr chain(const ChainOptions& options, int num_samples, int seed);

RoboticPtr without_torque(const RoboticPtr& robotic);  ///< nor weights
RoboticPtr without_weights(const RoboticPtr& robotic);

using OnBackend = std::function<Result<Numbers>(Backend&)>;
using MakeBackend = std::function<Result<std::unique_ptr<Backend>>()>;
DeviceTask task_of_backend(
    std::string name, double tolerance, const OnBackend& on_backend,
    const MakeBackend& make = [] { return make_cuda_backend(); });

inline constexpr int kFirstRow = 3;  ///< of sums of given rows

/// From sample `begin` on.
OnBackend sums(RoboticPtr robotic, const AccumulateOptions& options, int begin, int chunk);
OnBackend sums_of_rows(RoboticPtr robotic, int chunk);
OnBackend rows(RoboticPtr robotic);
OnBackend torques(RoboticPtr robotic);
OnBackend motion_sums(RoboticPtr robotic, const GeneratedMotion& motion,
                      const AccumulateOptions& options, int num_samples, int chunk);

/// Random ones of the robot's coordinates.
GeneratedMotion fourier_motion(const Robotic& robotic, int num_harmonics, int num_samples);
GeneratedMotion spline_motion(const Robotic& robotic, int num_samples);

/// Channel c weighs as much as its place: sums of all channels.
AccumulateOptions summed(const Robotic& robotic, core::Precision precision);

/// Rows of all channels but the first and the last, as the device leaves them: with a column for
/// the torque, of zeros.
DeviceTask rows_of_some_channels(RoboticPtr robotic);

}  // namespace heft::testing
