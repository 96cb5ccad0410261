// A periodic motion of all coordinates, given by coefficients instead of samples.
// Threads: plain values: share them for reading; a thread that changes one must own it.
#pragma once

#include <Eigen/Core>
#include <cstdint>

#pragma GCC visibility push(default)
namespace heft {

/// With w the frequency, sample i at t = begin + i step, and h counted from 1:
///   q_k(t) = center_k + sum_h sine_hk sin(h w t) + cosine_hk cos(h w t)
struct FourierMotion {
  double frequency = 0.2 * 3.14159265358979323846;  ///< w [rad/s]
  double begin = 0, step = 0.01;                    ///< [s]
  std::int64_t num_samples = 1000;
  Eigen::VectorXd center;        ///< num_coordinates, [rad] or [m]
  Eigen::MatrixXd sine, cosine;  ///< num_harmonics x num_coordinates
};

}  // namespace heft
#pragma GCC visibility pop
