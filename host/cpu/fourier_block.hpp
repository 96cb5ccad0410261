// Samples of a FourierMotion, made a block at a time where they are needed. Included once per instruction set and
// namespace.
#pragma once

#include <cstring>

#include "heft/core/sample_view.hpp"
#include "host/cpu/pack_functions.hpp"

namespace heft::cpu::HEFT_CPU_TARGET {

/// Doubles for `count` samples, a multiple of the lanes: position, velocity and acceleration of every coordinate.
inline std::int64_t fourier_block_size(int num_coordinates, int count) {
  return std::int64_t{3} * num_coordinates * count;
}

/// Sine and cosine of 2 pi turns; whole turns go before they cost digits.
HEFT_HD void sin_cos_of_turns(const Pack<double>& turns, Pack<double>& sine, Pack<double>& cosine) {
  const auto rounded = turns.v + SineConstants<double>::kRound;
  sin_cos(Pack<double>((turns.v - (rounded - SineConstants<double>::kRound)) * 6.28318530717958647693), sine,
          cosine);
}

/// Fills `block` with samples [first, first + count) and returns their view, whose sample 0 is `first`. `count` is a
/// multiple of the lanes; the base does not move, the torque is zero, every weight is one.
inline core::SampleView fourier_block(const core::FourierView& motion, const core::SampleView& base,
                                      std::int64_t first, int count, double* block) {
  using P = Pack<double>;
  const int n = motion.num_coordinates;
  double *const position = block, *const velocity = position + std::int64_t{n} * count,
                *const acceleration = velocity + std::int64_t{n} * count;
  for (int begin = 0; begin < count; begin += P::kLanes) {
    P time;
    for (int lane = 0; lane < P::kLanes; ++lane)
      time.v[lane] = motion.begin + motion.step * static_cast<double>(first + begin + lane);
    for (int k = 0; k < n; ++k) {
      P q(motion.centre[k]), qd(0.0), qdd(0.0);
      for (int h = 0; h < motion.num_harmonics; ++h) {
        const double w = (h + 1) * motion.frequency;
        P sine, cosine;
        sin_cos_of_turns(time * P(w / 6.28318530717958647693), sine, cosine);
        const P a(motion.sine[k * motion.num_harmonics + h]), b(motion.cosine[k * motion.num_harmonics + h]);
        q = q + a * sine + b * cosine;
        qd = qd + P(w) * (a * cosine - b * sine);
        qdd = qdd - P(w * w) * (a * sine + b * cosine);
      }
      std::memcpy(position + std::int64_t{k} * count + begin, &q, sizeof q);
      std::memcpy(velocity + std::int64_t{k} * count + begin, &qd, sizeof qd);
      std::memcpy(acceleration + std::int64_t{k} * count + begin, &qdd, sizeof qdd);
    }
  }
  core::SampleView view = base;
  view.position = position;
  view.velocity = velocity;
  view.acceleration = acceleration;
  view.stride = count;
  return view;
}

}  // namespace heft::cpu::HEFT_CPU_TARGET
