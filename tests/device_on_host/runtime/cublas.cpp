// The functions of cuBLAS that Heft calls, executed in stream order. Linked instead of the real
// library, under its name.
#include <cublas_v2.h>

#include "tests/device_on_host/runtime/emulated_library.hpp"

namespace {

struct Handle {
  cudaStream_t stream = nullptr;
};

Handle& handle_of(cublasHandle_t handle) {
  return *reinterpret_cast<Handle*>(handle);
}

}  // namespace

extern "C" {

cublasStatus_t cublasCreate_v2(cublasHandle_t* handle) {
  *handle = reinterpret_cast<cublasHandle_t>(new Handle);
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasDestroy_v2(cublasHandle_t handle) {
  delete &handle_of(handle);
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasSetStream_v2(cublasHandle_t handle, cudaStream_t stream) {
  handle_of(handle).stream = stream;
  return CUBLAS_STATUS_SUCCESS;
}

/// The lower triangle of C = alpha A'A + beta C; other forms are refused.
cublasStatus_t cublasDsyrk_v2(cublasHandle_t handle, cublasFillMode_t triangle,
                              cublasOperation_t operation, int n, int k, const double* alpha,
                              const double* A, int lda, const double* beta, double* C, int ldc) {
  if (triangle != CUBLAS_FILL_MODE_LOWER || operation != CUBLAS_OP_T)
    return CUBLAS_STATUS_NOT_SUPPORTED;
  if (n < 0 || k < 0 || lda < k || lda < 1 || ldc < n || ldc < 1)
    return CUBLAS_STATUS_INVALID_VALUE;
  heft::device_on_host::enqueue(handle_of(handle).stream, [=, a = *alpha, b = *beta] {
    for (long column = 0; column < n; ++column) {
      for (long row = column; row < n; ++row) {
        double sum = 0;
        for (long t = 0; t < k; ++t) sum += A[t + row * lda] * A[t + column * lda];
        double& entry = C[row + column * ldc];
        entry = a * sum + (b == 0 ? 0 : b * entry);
      }
      heft::device_on_host::mark_written(C + column + column * ldc,
                                         static_cast<std::size_t>(n - column) * sizeof(double));
    }
  });
  return CUBLAS_STATUS_SUCCESS;
}

}  // extern "C"
