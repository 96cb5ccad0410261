// Samples in the layout that the kernels read: non-owning columns of equal length and one stride.
// Threads: plain values; concurrent reads are safe, a writer needs exclusive access.
#pragma once

#include <cstdint>

namespace heft::core {

/// Maximum number of samples per chunk, the unit that a backend sums at a time.
inline constexpr int kChunkSamples = 4096;

/// A non-owning view of samples. Column k of an array starts at array + k * stride.
struct SampleView {
  const double* position;
  const double* velocity;
  const double* acceleration;
  const double* base_motion;  ///< nine columns; nullptr: base_constant applies
  const double* torque;       ///< nullptr: all zero
  const double* weight;       ///< nullptr: all one
  const double* signal;
  std::int64_t stride;
  double base_constant[9];  ///< w, wd, a - g of a base at rest
};

}  // namespace heft::core
