// cuBLAS, loaded when the plain form needs it: nothing else depends on this library.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <memory>

#include "heft/base/result.hpp"

namespace heft::cuda {

class CublasLibrary {
 public:
  /// Its work goes to `stream`, which must outlive it. Error if the library or what it needs is not
  /// found.
  static Result<std::unique_ptr<CublasLibrary>> open(cudaStream_t stream);
  virtual ~CublasLibrary() = default;

  /// square = rows' rows, or that more than it was: of count x width rows, column after column;
  /// upper triangle, row after row.
  virtual Result<Done> multiply(const double* rows, std::int64_t count, int width, bool is_added,
                                double* square) = 0;
};

}  // namespace heft::cuda
