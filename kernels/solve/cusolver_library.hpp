// cuSOLVER's batched Cholesky factorization, loaded when large problems need it.
#pragma once

#include <cuda_runtime.h>

#include <memory>

#include "heft/base/result.hpp"

namespace heft::cuda {

/// So many symmetric matrices of one size, each by its lower triangle, column after column. All
/// pointers are the device's.
struct CholeskyBatch {
  int size;
  int count;
  double** d_matrices;
  double** d_vectors;
  int* d_info;  ///< one a matrix
};

class CusolverLibrary {
 public:
  /// Its work goes to `stream`, which must outlive it. Error if the library or what it needs is not
  /// found.
  static Result<std::unique_ptr<CusolverLibrary>> open(cudaStream_t stream);
  virtual ~CusolverLibrary() = default;

  /// matrix <- its lower factor; one that is not positive definite becomes something else.
  virtual Result<Done> factor(const CholeskyBatch& batch) = 0;
  /// vector <- matrix^-1 vector, of factors.
  virtual Result<Done> solve(const CholeskyBatch& batch) = 0;
};

}  // namespace heft::cuda
