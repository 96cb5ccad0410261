// Motions given by coefficients (heft/generated_motion.hpp) in the form that the kernels read:
// non-owning, with adjacent coefficients of one coordinate. Threads: plain values; concurrent reads
// are safe, a writer needs exclusive access.
#pragma once

namespace heft::core {

struct FourierView {
  int num_harmonics;
  double frequency;
  const double *center, *sine, *cosine;
};

inline constexpr int kSplineDegree = 5;

struct SplineView {
  int num_intervals;
  double rate;            ///< intervals per second
  const double* control;  ///< num_intervals + kSplineDegree per coordinate
};

enum class MotionKind : int { fourier, spline };

/// Sample i at t = begin + i step.
struct MotionView {
  MotionKind kind;
  int num_coordinates;
  double begin, step;
  FourierView fourier;  ///< if it is one
  SplineView spline;    ///< if it is one
};

}  // namespace heft::core
