// The functions of cuSOLVER that Heft calls, executed by Eigen in stream order. Linked instead of
// the real library, under its name.
#include <cusolverDn.h>

#include <Eigen/Cholesky>

#include "tests/device_on_host/runtime/emulated_library.hpp"

namespace {

using heft::device_on_host::enqueue;
using heft::device_on_host::mark_written;
using Matrix = Eigen::Map<Eigen::MatrixXd, Eigen::Unaligned, Eigen::OuterStride<>>;

struct Handle {
  cudaStream_t stream = nullptr;
};

Handle& handle_of(cusolverDnHandle_t handle) {
  return *reinterpret_cast<Handle*>(handle);
}

bool are_sizes(int n, int lda, int batch) {
  return n > 0 && lda >= n && batch > 0;
}

}  // namespace

extern "C" {

cusolverStatus_t cusolverDnCreate(cusolverDnHandle_t* handle) {
  *handle = reinterpret_cast<cusolverDnHandle_t>(new Handle);
  return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverDnDestroy(cusolverDnHandle_t handle) {
  delete &handle_of(handle);
  return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverDnSetStream(cusolverDnHandle_t handle, cudaStream_t stream) {
  handle_of(handle).stream = stream;
  return CUSOLVER_STATUS_SUCCESS;
}

/// Lower triangles become their factors; the upper ones are neither read nor written. Other forms
/// are refused.
cusolverStatus_t cusolverDnDpotrfBatched(cusolverDnHandle_t handle, cublasFillMode_t triangle,
                                         int n, double* A[], int lda, int* info, int batch) {
  if (triangle != CUBLAS_FILL_MODE_LOWER) return CUSOLVER_STATUS_NOT_SUPPORTED;
  if (!are_sizes(n, lda, batch)) return CUSOLVER_STATUS_INVALID_VALUE;
  enqueue(handle_of(handle).stream, [=] {
    for (int k = 0; k < batch; ++k) {
      Matrix matrix(A[k], n, n, Eigen::OuterStride<>(lda));
      const Eigen::LLT<Eigen::MatrixXd> factor(matrix);
      matrix.triangularView<Eigen::Lower>() = factor.matrixLLT();
      info[k] = factor.info() == Eigen::Success ? 0 : n;
    }
  });
  return CUSOLVER_STATUS_SUCCESS;
}

/// One right-hand side, as the real one.
cusolverStatus_t cusolverDnDpotrsBatched(cusolverDnHandle_t handle, cublasFillMode_t triangle,
                                         int n, int num_vectors, double* A[], int lda, double* B[],
                                         int ldb, int* info, int batch) {
  if (triangle != CUBLAS_FILL_MODE_LOWER || num_vectors != 1) return CUSOLVER_STATUS_NOT_SUPPORTED;
  if (!are_sizes(n, lda, batch) || ldb < n) return CUSOLVER_STATUS_INVALID_VALUE;
  enqueue(handle_of(handle).stream, [=] {
    for (int k = 0; k < batch; ++k) {
      const Matrix matrix(A[k], n, n, Eigen::OuterStride<>(lda));
      Eigen::Map<Eigen::VectorXd> vector(B[k], n);
      matrix.triangularView<Eigen::Lower>().solveInPlace(vector);
      matrix.triangularView<Eigen::Lower>().transpose().solveInPlace(vector);
      mark_written(B[k], static_cast<std::size_t>(n) * sizeof(double));
    }
    *info = 0;
  });
  return CUSOLVER_STATUS_SUCCESS;
}

}  // extern "C"
