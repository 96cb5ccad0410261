// Samples of a GeneratedMotion, computed block by block when they are needed. Included once per
// instruction set and namespace.
#pragma once

#include <cstring>

#include "executor/pack_functions.hpp"
// core/ finds the functions of packs by name when it is instantiated
#include "heft/core/fourier.hpp"
#include "heft/core/motion_view.hpp"
#include "heft/core/sample_view.hpp"
#include "heft/core/spline.hpp"

namespace heft::cpu::HEFT_CPU_TARGET {

/// Columns of `count` samples, a multiple of the lanes: position, velocity and acceleration of
/// every coordinate.
struct MotionBlock {
  double *position, *velocity, *acceleration;
  int count;

  MotionBlock(double* memory, int num_coordinates, int num_samples)
      : position(memory),
        velocity(position + std::int64_t{num_coordinates} * num_samples),
        acceleration(velocity + std::int64_t{num_coordinates} * num_samples),
        count(num_samples) {}

  /// Returns the pack of coordinate k that begins at sample `begin` of the block.
  void put(int k, int begin, const Pack<double>& q, const Pack<double>& qd,
           const Pack<double>& qdd) const {
    const std::int64_t place = std::int64_t{k} * count + begin;
    std::memcpy(position + place, &q.v, sizeof q);
    std::memcpy(velocity + place, &qd.v, sizeof qd);
    std::memcpy(acceleration + place, &qdd.v, sizeof qdd);
  }

  void add(int k, int begin, const core::FourierTerm<Pack<double>>& term) const {
    Pack<double> q, qd, qdd;
    const std::int64_t place = std::int64_t{k} * count + begin;
    std::memcpy(&q.v, position + place, sizeof q);
    std::memcpy(&qd.v, velocity + place, sizeof qd);
    std::memcpy(&qdd.v, acceleration + place, sizeof qdd);
    put(k, begin, q + term.position, qd + term.velocity, qdd + term.acceleration);
  }
};

/// Number of doubles in a block.
inline std::int64_t motion_block_size(int num_coordinates, int count) {
  return std::int64_t{3} * num_coordinates * count;
}

inline constexpr double kTwoPi = 6.28318530717958647693;

/// Returns sine and cosine of 2 pi turns; whole turns are removed first to keep precision.
HEFT_HD void sin_cos_of_turns(const Pack<double>& turns, Pack<double>& sine, Pack<double>& cosine) {
  const auto rounded = turns.v + SineConstants<double>::kRound;
  sin_cos(Pack<double>((turns.v - (rounded - SineConstants<double>::kRound)) * kTwoPi), sine,
          cosine);
}

/// Fills the block with samples from `first` on.
inline void put_fourier(const core::MotionView& motion, std::int64_t first,
                        const MotionBlock& block) {
  using P = Pack<double>;
  const core::FourierView& fourier = motion.fourier;
  for (int begin = 0; begin < block.count; begin += P::kLanes) {
    P time;
    for (int lane = 0; lane < P::kLanes; ++lane)
      time.v[lane] = motion.begin + motion.step * static_cast<double>(first + begin + lane);
    for (int k = 0; k < motion.num_coordinates; ++k)
      block.put(k, begin, P(fourier.center[k]), P(0.0), P(0.0));
    for (int h = 0; h < fourier.num_harmonics; ++h) {
      const double w = (h + 1) * fourier.frequency;
      P sine, cosine;
      sin_cos_of_turns(time * P(w / kTwoPi), sine, cosine);
      for (int k = 0; k < motion.num_coordinates; ++k) {
        const int at = k * fourier.num_harmonics + h;
        block.add(
            k, begin,
            core::fourier_term(P(fourier.sine[at]), P(fourier.cosine[at]), P(w), sine, cosine));
      }
    }
  }
}

/// Fills the block with samples from `first` on, each lane in the interval of its own time.
inline void put_spline(const core::MotionView& motion, std::int64_t first,
                       const MotionBlock& block) {
  using P = Pack<double>;
  const core::SplineView& spline = motion.spline;
  const P rate(spline.rate), rate2(spline.rate * spline.rate);
  const int num_points = spline.num_intervals + core::kSplineDegree;
  for (int begin = 0; begin < block.count; begin += P::kLanes) {
    int interval[P::kLanes];
    P u;
    for (int lane = 0; lane < P::kLanes; ++lane) {
      const core::SplinePlace place = core::spline_place(
          spline, motion.begin + motion.step * static_cast<double>(first + begin + lane));
      interval[lane] = place.interval;
      u.v[lane] = place.u;
    }
    const core::SplineBasis<P> basis(u);
    for (int k = 0; k < motion.num_coordinates; ++k) {
      const double* const points = spline.control + std::int64_t{k} * num_points;
      P control[core::kSplineDegree + 1];
      for (int r = 0; r <= core::kSplineDegree; ++r)
        for (int lane = 0; lane < P::kLanes; ++lane)
          control[r].v[lane] = points[interval[lane] + r];
      const core::SplinePoint<P> point = core::spline_point(basis, control);
      block.put(k, begin, point.position, rate * point.velocity, rate2 * point.acceleration);
    }
  }
}

/// Fills `memory` with samples [first, first + count) and returns their view, whose sample 0 is
/// `first`. `count` is a multiple of the lanes and may extend past the end of the motion; the base
/// is fixed, torques are zero and weights one.
inline core::SampleView motion_block(const core::MotionView& motion,
                                     const core::SampleView& constants, std::int64_t first,
                                     int count, double* memory) {
  const MotionBlock block(memory, motion.num_coordinates, count);
  if (motion.kind == core::MotionKind::fourier)
    put_fourier(motion, first, block);
  else
    put_spline(motion, first, block);
  core::SampleView view = constants;
  view.position = block.position;
  view.velocity = block.velocity;
  view.acceleration = block.acceleration;
  view.stride = count;
  return view;
}

}  // namespace heft::cpu::HEFT_CPU_TARGET
