// Samples as the kernels read them: columns of equal length, one stride, nothing owned.
#pragma once

#include <cstdint>

namespace heft::core {

/// Samples per chunk. Chunks are anchored at multiples of this within a segment, so the sums of a chunk do
/// not depend on threads, grids or read sizes (FORMULAS 7).
inline constexpr int kChunkSamples = 1024;

/// Column k of an array starts at array + k * stride.
struct SampleView {
  const double* position;
  const double* velocity;
  const double* acceleration;
  const double* base_motion;  ///< nine columns, or nullptr: base_constant holds
  const double* torque;
  const double* weight;
  const double* signal;
  std::int64_t stride;
  double base_constant[9];  ///< w, wd, a - g of a base that does not move
};

}  // namespace heft::core
