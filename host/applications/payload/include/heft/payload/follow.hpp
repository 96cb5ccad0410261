// A payload weighed while it is moved: samples one by one, an answer with its certificate at any
// time.
//
// Rows and wrench go through one causal low-pass, which is exact, since the wrench is linear in the
// twelve numbers of a motion (samples.hpp): a filter may do to both sides whatever it likes. Of
// what leaves it only sums are kept, so that neither memory nor the time of an update grows with
// the log. Threads: one thread at a time uses a follower, which may change.
#pragma once

#include <cstdint>
#include <memory>

#include "heft/payload/payload.hpp"

#pragma GCC visibility push(default)
namespace heft {

struct PayloadUpdate {
  double time = 0;  ///< of the newest sample [s]
  std::int64_t num_samples = 0;
  BodyParameters parameters = BodyParameters::Zero();  ///< in the sensor's frame
  Certificate certificate;
  PayloadInterval mass;                ///< [kg], 95 %; takes the motion for free of noise
  std::array<PayloadInterval, 3> com;  ///< [m]
};

class PayloadFollower {
 public:
  /// For samples of `rate_hz`, by method auto. Errors: a low-pass that the rate does not carry.
  static Result<PayloadFollower> make(const PayloadOptions& options, const PayloadShape& shape,
                                      double rate_hz);
  PayloadFollower(PayloadFollower&&) noexcept;
  PayloadFollower& operator=(PayloadFollower&&) noexcept;
  ~PayloadFollower();

  /// A sample of samples.hpp, u = a - g. Behind a gap of more than ten periods the filter starts
  /// again. Errors, after which the follower is as it was: a number that is not finite, time that
  /// does not go forward.
  Result<Done> add(double time, const Eigen::Vector3d& w, const Eigen::Vector3d& wd,
                   const Eigen::Vector3d& u, const Vector6d& wrench);

  /// The answer so far. Errors: samples that tell no mass yet.
  Result<PayloadUpdate> update();

 private:
  struct State;
  explicit PayloadFollower(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace heft
#pragma GCC visibility pop
