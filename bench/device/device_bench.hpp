// References for figures of a device: its peak rate of multiply-adds, and sums computed plainly by
// a library. No CUDA header. Built from measure_peak.cpp and plain_form.cpp with the CUDA toolkit,
// from stub.cpp without.
#pragma once

#include <cstdint>
#include <memory>

#include "heft/rows/backend.hpp"

namespace heft {

/// Most multiply-adds a second that the first device does in registers. Error if CUDA was not
/// compiled in or no device answers.
Result<double> measure_cuda_peak(core::Precision precision);

struct PlainFormOptions {
  std::int64_t part_bytes = std::int64_t{16} << 20;  ///< of rows that one block of threads makes
                                                     ///< and one call multiplies
  std::int64_t transfer_bytes = std::int64_t{256} << 20;  ///< of samples and rows on the device at
                                                          ///< a time, twice
};

/// Sums in fp64 of samples: rows go to device memory, and cuBLAS multiplies them there. Of
/// Backend's verbs it does accumulate() alone. Errors as above, and if cuBLAS is not found.
Result<std::unique_ptr<Backend>> make_plain_form(const PlainFormOptions& options = {});

}  // namespace heft
