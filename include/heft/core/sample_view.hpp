// Samples as the kernels read them: columns of equal length, one stride, nothing owned.
// Threads: plain values: share them for reading; a thread that changes one must own it.
#pragma once

#include <cstdint>

namespace heft::core {

/// Most samples of a chunk: what a backend sums at a time.
inline constexpr int kChunkSamples = 4096;

/// Column k of an array starts at array + k * stride.
struct SampleView {
  const double* position;
  const double* velocity;
  const double* acceleration;
  const double* base_motion;  ///< nine columns, or nullptr: base_constant holds
  const double* torque;       ///< nullptr: zero
  const double* weight;       ///< nullptr: one
  const double* signal;
  std::int64_t stride;
  double base_constant[9];  ///< w, wd, a - g of a base that does not move
};

}  // namespace heft::core
