// Weighs a payload while it moves: takes samples one by one and gives a certified estimate at any
// time.
//
// Rows and wrench pass through the same causal low-pass. This is exact, because the wrench is
// linear in the twelve numbers of a motion (samples.hpp) and a filter acts equally on both sides.
// Only sums of the filtered data are kept, so memory and the time of an update do not grow with the
// log. Threads: a follower is used by one thread at a time.
#pragma once

#include <cstdint>
#include <memory>

#include "heft/payload/payload.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// The estimate after the samples so far.
struct PayloadUpdate {
  double time = 0;  ///< of the latest sample [s]
  std::int64_t num_samples = 0;
  BodyParameters parameters = BodyParameters::Zero();  ///< in the sensor's frame
  Certificate certificate;
  PayloadInterval mass;                ///< [kg], 95 %; assumes that the motion is free of noise
  std::array<PayloadInterval, 3> com;  ///< [m]
};

/// Weighs one payload from a stream of samples.
class PayloadFollower {
 public:
  /// Makes a follower for samples at `rate_hz`; uses method auto. Error: a low-pass that is too
  /// high for the rate.
  static Result<PayloadFollower> make(const PayloadOptions& options, const PayloadShape& shape,
                                      double rate_hz);
  PayloadFollower(PayloadFollower&&) noexcept;
  PayloadFollower& operator=(PayloadFollower&&) noexcept;
  ~PayloadFollower();

  /// Adds a sample as defined in samples.hpp, u = a - g. The filter restarts after a gap of more
  /// than ten periods. Errors, which leave the follower unchanged: a number that is not finite,
  /// time that does not increase.
  Result<Done> add(double time, const Eigen::Vector3d& w, const Eigen::Vector3d& wd,
                   const Eigen::Vector3d& u, const Vector6d& wrench);

  /// Returns the estimate so far. Error: samples that do not determine a mass yet.
  Result<PayloadUpdate> update();

 private:
  struct State;
  explicit PayloadFollower(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace heft
#pragma GCC visibility pop
