// cuSOLVER's batched Cholesky factorization, loaded when large problems need it.
#pragma once

#include <cuda_runtime.h>

#include <memory>

#include "heft/base/result.hpp"

namespace heft::cuda {

/// A number of symmetric matrices of one size, each stored as its lower triangle, column after
/// column. All pointers are to device memory.
struct CholeskyBatch {
  int size;
  int count;
  double** d_matrices;
  double** d_vectors;
  int* d_info;  ///< one a matrix
};

class CusolverLibrary {
 public:
  /// Its work goes to `stream`, which must outlive it. Error if the library or one of its
  /// dependencies is not found.
  static Result<std::unique_ptr<CusolverLibrary>> open(cudaStream_t stream);
  virtual ~CusolverLibrary() = default;

  /// matrix <- its lower factor; the result is undefined if it is not positive definite.
  virtual Result<Done> factor(const CholeskyBatch& batch) = 0;
  /// vector <- matrix^-1 vector, from the factors.
  virtual Result<Done> solve(const CholeskyBatch& batch) = 0;
};

}  // namespace heft::cuda
