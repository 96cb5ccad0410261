// The order of summation on a device: the length of a chunk alone determines its parts, one block
// of threads sums a part in the order of gram_tiles.hpp, and parts are added one after the other.
// The order depends neither on the grid nor on which samples are on the device at a time, so sums
// have the same bits on every device of an architecture (FORMULAS 7); tile_products.hpp chooses by
// architecture how products of fp32 are summed.
#pragma once

#include "device_job.hpp"

namespace heft::cuda {

/// Parts of the longest chunk: about the number of blocks that a large device runs concurrently,
/// few enough to keep and add.
inline constexpr std::int64_t kMaxParts = 512;
/// Samples of the smallest part: few, so that a few chunks fill a device; enough to amortize the
/// fixed cost of a part.
inline constexpr std::int64_t kPartSamples = 4 * kThreads;

/// Samples of every part of a chunk but the last.
constexpr std::int64_t part_samples(std::int64_t chunk_samples) {
  const std::int64_t share = (chunk_samples + kMaxParts - 1) / kMaxParts;
  return share <= kPartSamples ? kPartSamples : (share + kThreads - 1) / kThreads * kThreads;
}

/// Returns the number of parts of `part` samples in `chunk_samples`.
constexpr std::int64_t num_parts(std::int64_t chunk_samples, std::int64_t part) {
  return (chunk_samples + part - 1) / part;
}

/// Adds up one entry of the parts.
HEFT_HD void add_parts(const PartSum& of, std::int64_t entry) {
  double sum = of.is_first ? 0.0 : of.carry[entry];
  for (int p = 0; p < of.num_parts; ++p) sum += of.parts[p * of.size + entry];
  of.result[entry] = sum;
}

}  // namespace heft::cuda
