// Motion and torque filtered by one causal low-pass, sample by sample.
//
// Both sides of the equation of motion pass the same Bessel filter of order 4, whose delay is
// nearly the same at all frequencies in the pass band, so products of motions stay aligned with
// their torques. Velocity and acceleration are central differences of filtered positions, one
// sample later:
//   v_k = (q_k+1 - q_k-1) / (2 h)      a_k = (q_k+1 - 2 q_k + q_k-1) / h^2
#pragma once

#include <span>
#include <vector>

#include "heft/signal/smoother.hpp"

namespace heft::watch {

/// Returns a Bessel low-pass of order 4 as sections of unit gain at zero frequency; -3 dB at
/// `cutoff`, a fraction of the sampling rate, 0 < cutoff < 0.5. Poles of the analog filter: [Bond
/// 2008], by bilinear transform.
std::vector<Biquad> bessel_lowpass(double cutoff);

/// Returns the delay of a slow signal in the sections, in samples.
double delay_samples(std::span<const Biquad> sections);

class CausalMotion {
 public:
  /// Allocates all memory. h = 1 / rate_hz.
  CausalMotion(double cutoff_hz, double rate_hz, int num_coordinates, int num_channels);

  /// Forgets the past: the filter assumes rest before the next sample.
  void restart() { num_seen_ = num_raw_ = 0; }

  /// Adds a sample. A jump of a position, such as that of a slipping zero, would ring in the
  /// derivatives, so the filter restarts there. Returns true once the filter has settled; the
  /// members below then hold the previous sample.
  bool push(const double* position, const double* torque);

  const double* position() const { return position_.data(); }
  const double* velocity() const { return velocity_.data(); }
  const double* acceleration() const { return acceleration_.data(); }
  const double* torque() const { return torque_.data(); }

  /// Delay of these values [s].
  double delay_s() const { return delay_s_; }
  /// Samples from a restart to the first for which push() returns true.
  long long num_settling() const { return num_settling_; }

  template <class Archive>
  void visit(Archive& archive) {
    archive(num_seen_), archive(num_raw_), archive(first_), archive(second_);
    for (std::vector<double>* values :
         {&before_, &middle_, &newest_, &raw_, &raw_before_, &scatter_})
      archive(*values);
  }

 private:
  int num_coordinates_ = 0;
  double rate_hz_ = 0, delay_s_ = 0;
  bool has_jumped(const double* position);

  long long num_settling_ = 0, num_seen_ = 0, num_raw_ = 0;
  std::vector<Biquad> sections_;
  std::vector<double> first_, second_;              ///< states, section after section
  std::vector<double> before_, middle_, newest_;    ///< filtered positions, then torques
  std::vector<double> raw_, raw_before_, scatter_;  ///< positions; mean square of second
                                                    ///< differences
  std::vector<double> position_, velocity_, acceleration_, torque_;
};

}  // namespace heft::watch
