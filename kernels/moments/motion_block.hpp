// Samples of a motion given by coefficients, evaluated on the device into the memory of a block.
#pragma once

#include "gram_tiles.hpp"
#include "heft/core/fourier.hpp"
#include "heft/core/motion_view.hpp"
#include "heft/core/sample_view.hpp"
#include "heft/core/scalar.hpp"
#include "heft/core/spline.hpp"

namespace heft::cuda {

/// Memory of one sample in a block: position, velocity and acceleration of coordinate k are at an
/// offset of kThreads k.
struct MotionPlace {
  double *position, *velocity, *acceleration;

  HEFT_HD MotionPlace(double* block, int num_coordinates, int sample)
      : position(block + sample),
        velocity(position + std::int64_t{num_coordinates} * kThreads),
        acceleration(velocity + std::int64_t{num_coordinates} * kThreads) {}
};

/// Doubles of a block.
HEFT_HD std::int64_t motion_block_size(int num_coordinates) {
  return std::int64_t{3} * num_coordinates * kThreads;
}

/// Coordinates first, first + step, ..
HEFT_HD void put_fourier(const core::MotionView& motion, double time, const MotionPlace& place,
                         int first, int step) {
  const core::FourierView& fourier = motion.fourier;
  for (int k = first; k < motion.num_coordinates; k += step) {
    place.position[k * kThreads] = fourier.center[k];
    place.velocity[k * kThreads] = place.acceleration[k * kThreads] = 0;
  }
  for (int h = 0; h < fourier.num_harmonics; ++h) {
    const double w = (h + 1) * fourier.frequency;
    double sine, cosine;
    core::sin_cos(w * time, sine, cosine);
    for (int k = first; k < motion.num_coordinates; k += step) {
      const int at = k * fourier.num_harmonics + h;
      const core::FourierTerm<double> term =
          core::fourier_term(fourier.sine[at], fourier.cosine[at], w, sine, cosine);
      place.position[k * kThreads] += term.position;
      place.velocity[k * kThreads] += term.velocity;
      place.acceleration[k * kThreads] += term.acceleration;
    }
  }
}

HEFT_HD void put_spline(const core::MotionView& motion, double time, const MotionPlace& place,
                        int first, int step) {
  const core::SplineView& spline = motion.spline;
  const core::SplinePlace at = core::spline_place(spline, time);
  const core::SplineBasis<double> basis(at.u);
  const int num_points = spline.num_intervals + core::kSplineDegree;
  for (int k = first; k < motion.num_coordinates; k += step) {
    const double* const points = spline.control + std::int64_t{k} * num_points + at.interval;
    double control[core::kSplineDegree + 1];
    for (int r = 0; r <= core::kSplineDegree; ++r) control[r] = points[r];
    const core::SplinePoint<double> point = core::spline_point(basis, control);
    place.position[k * kThreads] = point.position;
    place.velocity[k * kThreads] = spline.rate * point.velocity;
    place.acceleration[k * kThreads] = spline.rate * spline.rate * point.acceleration;
  }
}

/// Evaluates coordinates first, first + step, .. of sample `index` of a motion into place `sample`
/// of a block.
HEFT_HD void put_motion(const core::MotionView& motion, std::int64_t index, int sample, int first,
                        int step, double* block) {
  const double time = motion.begin + motion.step * static_cast<double>(index);
  const MotionPlace place(block, motion.num_coordinates, sample);
  if (motion.kind == core::MotionKind::fourier)
    put_fourier(motion, time, place, first, step);
  else
    put_spline(motion, time, place, first, step);
}

/// The samples of a motion in its block, as arrays.
HEFT_HD core::SampleView motion_samples(const core::SampleView& constants, int num_coordinates,
                                        const double* block) {
  core::SampleView view = constants;
  view.position = block;
  view.velocity = view.position + std::int64_t{num_coordinates} * kThreads;
  view.acceleration = view.velocity + std::int64_t{num_coordinates} * kThreads;
  view.stride = kThreads;
  return view;
}

}  // namespace heft::cuda
