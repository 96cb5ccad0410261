// Host interface for scores of candidate motions on a CUDA device, without CUDA headers. Built from
// excite/motions_cuda.cpp with the CUDA toolkit, from excite/motions_cuda_stub.cpp without.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "heft/base/result.hpp"
#include "heft/model/regressor_plan.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// Constant input of the motions of a robot (host/applications/excite/scorer.hpp). Only read while
/// the scorer is made.
struct DeviceMotionInput {
  /// Values of a derivative of the basis functions: sample s uses coefficients first[s] to first[s]
  /// + width - 1. `first` ascends.
  struct Basis {
    int width = 0;
    std::vector<int> first;
    std::vector<double> values;  ///< width per sample
  };

  const RegressorPlan* plan = nullptr;  ///< without signals
  double seconds = 0;
  int num_samples = 0, num_coefficients = 0;
  Basis basis[4];                       ///< of position, velocity, acceleration and jerk
  std::vector<int> counts;              ///< 1 for samples that carry information, 0 for others
  Eigen::VectorXd rate;                 ///< information per second of every channel
  Eigen::VectorXd reference;            ///< structural values whose rows are torques
  Eigen::MatrixXd variance, precision;  ///< V of the structural columns, and V^-1
  bool is_log_det = false;  ///< objective -log det(G + V^-1); otherwise the host's, of G
  double deviations = 0;    ///< standard deviations of torque to keep; 0: none are computed
  Eigen::ArrayXXd limits;   ///< position, velocity, acceleration, jerk, torque x coordinates; 0:
                            ///< none
  Eigen::VectorXd middle;   ///< of positions
};

/// One motion of a pass. Null: not requested.
struct DeviceMotion {
  int slot = 0;  ///< below DeviceMotions::capacity(), of its own in a pass; keeps the rows of the
                 ///< last rows() for gradient()
  // of rows()
  const double* coefficients = nullptr;            ///< coefficients x coordinates, in columns
  double value = 0;                                ///< log det: -log det(G + V^-1), or infinite
  double* information = nullptr;                   ///< G, symmetric
  double *torque = nullptr, *deviation = nullptr;  ///< samples x channels, in columns
  double* extremes = nullptr;                      ///< 5 x coordinates, row-major
  // of gradient()
  const double* slope = nullptr;  ///< derivative with respect to G; null: that of the value
  const double *by_torque = nullptr, *by_deviation = nullptr;  ///< samples x channels, in columns
  double* gradient = nullptr;  ///< coefficients x coordinates, in columns
};

/// Effort of all passes.
struct DeviceMotionEffort {
  std::int64_t bytes_up = 0, bytes_down = 0, launches = 0;
  double seconds = 0;  ///< during which the host waited
};

/// Scores motions of one robot, many in a fixed number of launches and in memory that is allocated
/// once. Results of a motion depend neither on others in its pass nor on its slot. Threads: one at
/// a time. All motions of a pass request the same.
class DeviceMotions {
 public:
  virtual ~DeviceMotions() = default;
  /// Motions that fit in a pass.
  virtual int capacity() const = 0;
  virtual Result<Done> rows(std::span<DeviceMotion* const> motions) = 0;
  virtual Result<Done> gradient(std::span<DeviceMotion* const> motions) = 0;
  virtual DeviceMotionEffort effort() const = 0;
};

/// With slots for `most_motions`, or fewer if the device has no memory for them. Error, without a
/// fallback, if CUDA was not compiled in, no device responds or the memory suffices for no motion.
Result<std::unique_ptr<DeviceMotions>> make_cuda_motions(const DeviceMotionInput& input,
                                                         int most_motions);

}  // namespace heft
#pragma GCC visibility pop
