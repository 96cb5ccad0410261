// Projections of many samples (core/null_space.hpp), compiled once per instruction set.
#pragma once

#include <cstddef>

#include "heft/signal/smoother.hpp"

namespace heft::projection {

/// kSignalLanes columns at some samples: the values of sample i of channel c are
///   values[c stride + i kSignalLanes] ..
struct Tile {
  const double* projectors;   ///< num_channels x num_channels by column, sample after sample
  const unsigned char* acts;  ///< per sample: 0 if its projector is the identity
  int num_channels = 0;
  std::ptrdiff_t num_samples = 0;
  const double* given;  ///< only of the channels in `sources`
  std::ptrdiff_t given_stride = 0;
  const int* sources;  ///< channels with columns in this tile, ascending
  int num_sources = 0;
  double* projected;  ///< of all channels
  std::ptrdiff_t projected_stride = 0;
};

struct Kernels {
  /// Replaces directions of kSignalLanes samples by an orthonormal basis of their span, and writes
  /// the projectors S N S^-1 of these samples. Entry c of direction k of sample i is
  ///   directions[(k num_channels + c) kSignalLanes + i]
  void (*make_projectors)(double* directions, int num_channels, int num_directions,
                          const double* noise, double* projectors);
  void (*project)(const Tile& tile);
};

extern const Kernels kBaselineKernels, kAvx2Kernels, kAvx512Kernels;

}  // namespace heft::projection
