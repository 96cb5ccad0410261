// The solver's batched kernels compared with cuSOLVER's: the eigendecomposition of
// core/symmetric_eigen.hpp, one thread per matrix, and the factor of tiles.hpp, one block per
// matrix in shared memory.
//
// Budget, as in moments/accumulate_moments.cu; the factor asks for its shared memory at the launch.
//
// Threads of a block: 128
//
//                                                 blocks on
//   kernel        registers  shared stack spilled  sm_80 sm_90 sm_100 sm_120
//   eigen4_kernel        96       0     0       0      6     5      6      6
//   factor_kernel       112       0     0       0      5     4      4      6
#include "bench/solver/peers.hpp"

#include <cusolverDn.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>

#include "heft/core/psd_block.hpp"
#include "kernels/device_block.cuh"
#include "kernels/solve/memory.cuh"
#include "kernels/solve/tiles.hpp"

namespace heft {

namespace {

using cuda::check;
using cuda::TiledMatrix;
using cuda::TwinArray;

constexpr int kThreads = 128;
constexpr int kRuns = 9;
constexpr char kWhere[] = "device benchmark";

using Block = cuda::DeviceBlock<kThreads>;

Result<Done> check(cusolverStatus_t status, const char* what) {
  if (status == CUSOLVER_STATUS_SUCCESS) return Done{};
  return Error{"cuSOLVER",
               std::string(what) + ": status " + std::to_string(static_cast<int>(status)), ""};
}

/// Frees itself; the members are cuSOLVER's.
struct Solver {
  cusolverDnHandle_t handle = nullptr;
  cusolverDnParams_t parameters = nullptr;
  syevjInfo_t jacobi = nullptr;

  Result<Done> create() {
    HEFT_CHECK(check(cusolverDnCreate(&handle), "create"));
    HEFT_CHECK(check(cusolverDnCreateParams(&parameters), "create parameters"));
    return check(cusolverDnCreateSyevjInfo(&jacobi), "create Jacobi's parameters");
  }
  ~Solver() {
    if (jacobi) cusolverDnDestroySyevjInfo(jacobi);
    if (parameters) cusolverDnDestroyParams(parameters);
    if (handle) cusolverDnDestroy(handle);
  }
};

/// Median time of work(), which is called after prepare() every time.
template <class Prepare, class Work>
Result<double> median_microseconds(const Prepare& prepare, const Work& work) {
  HEFT_TRY(begin, cuda::make_event(kWhere, cudaEventDefault));
  HEFT_TRY(end, cuda::make_event(kWhere, cudaEventDefault));
  std::vector<double> times;
  for (int run = 0; run <= kRuns; ++run) {
    HEFT_CHECK(prepare());
    HEFT_CHECK(check(cudaEventRecord(begin.get()), kWhere, "event"));
    HEFT_CHECK(work());
    HEFT_CHECK(check(cudaEventRecord(end.get()), kWhere, "event"));
    HEFT_CHECK(check(cudaEventSynchronize(end.get()), kWhere, "benchmark"));
    float milliseconds = 0;
    HEFT_CHECK(check(cudaEventElapsedTime(&milliseconds, begin.get(), end.get()), kWhere, "event"));
    if (run > 0)
      times.push_back(1e3 * static_cast<double>(milliseconds));  // the first one warms up
  }
  std::nth_element(times.begin(), times.begin() + kRuns / 2, times.end());
  return times[kRuns / 2];
}

/// Symmetric matrices, column by column, one after the other.
std::vector<double> random_symmetric(int size, int count, double diagonal) {
  std::mt19937_64 engine(1);
  std::normal_distribution<double> normal;
  const std::size_t n = static_cast<std::size_t>(size);
  std::vector<double> matrices(n * n * static_cast<std::size_t>(count));
  for (std::size_t k = 0; k < matrices.size(); k += n * n) {
    for (std::size_t j = 0; j < n; ++j) {
      for (std::size_t i = j; i < n; ++i)
        matrices[k + n * j + i] = matrices[k + n * i + j] =
            normal(engine) + (i == j ? diagonal : 0);
    }
  }
  return matrices;
}

/// |V diag(e) V' - A| / |A| of 4x4 matrices, eigenvectors in the columns of V; the worst.
double worst_eigen_error(const std::vector<double>& A, const std::vector<double>& e,
                         const std::vector<double>& V) {
  double worst = 0;
  for (std::size_t k = 0; k < A.size() / 16; ++k) {
    double off = 0, norm = 0;
    for (int i = 0; i < 4; ++i) {
      for (int j = 0; j < 4; ++j) {
        double entry = -A[16 * k + 4 * j + i];
        norm += entry * entry;
        for (int l = 0; l < 4; ++l)
          entry += V[16 * k + 4 * l + i] * e[4 * k + l] * V[16 * k + 4 * l + j];
        off += entry * entry;
      }
    }
    const double error = std::sqrt(off / norm);
    if (!(error <= worst)) worst = error;
  }
  return worst;
}

/// |L L' - A| / |A| from the lower triangles of L, column by column; the worst.
double worst_factor_error(int n, const std::vector<double>& A, const std::vector<double>& L) {
  double worst = 0;
  const std::size_t size = static_cast<std::size_t>(n) * n;
  for (std::size_t k = 0; k < A.size(); k += size) {
    double off = 0, norm = 0;
    for (int j = 0; j < n; ++j) {
      for (int i = j; i < n; ++i) {
        double entry = -A[k + n * j + i];
        norm += entry * entry;
        for (int l = 0; l <= j; ++l) entry += L[k + n * l + i] * L[k + n * l + j];
        off += entry * entry;
      }
    }
    const double error = std::sqrt(off / norm);
    if (!(error <= worst)) worst = error;
  }
  return worst;
}

/// Thread = matrix; eigenvectors in the columns of V.
__global__ void eigen4_kernel(int count, const double* d_matrices, double* d_values,
                              double* d_vectors) {
  const int k = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  if (k >= count) return;
  core::Square<4, double> A;
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) A.at[i][j] = d_matrices[16 * k + 4 * j + i];
  const core::SymmetricEigen<4, double> eigen(A);
  for (int i = 0; i < 4; ++i) {
    d_values[4 * k + i] = eigen.e[i];
    for (int j = 0; j < 4; ++j) d_vectors[16 * k + 4 * i + j] = eigen.Q.at[j][i];
  }
}

/// Block = matrix, from columns to tiles and back; the lower triangle of the factor replaces that
/// of the matrix.
__global__ void __launch_bounds__(kThreads, 4) factor_kernel(int num_tiles, double* d_matrices) {
  extern __shared__ double shared[];
  const TiledMatrix L{shared, num_tiles};
  const cuda::TiledFactor factor{L, shared + L.size()};
  const int n = L.rows();
  double* const matrix = d_matrices + static_cast<std::int64_t>(blockIdx.x) * n * n;
  cuda::each(Block(), n * n, [&](int i) {
    const int row = i % n, column = i / n;
    if (row / cuda::kTileSize >= column / cuda::kTileSize) L.at(row, column) = matrix[i];
  });
  cuda::cholesky(Block(), factor);
  cuda::each(Block(), n * n, [&](int i) {
    const int row = i % n, column = i / n, J = column / cuda::kTileSize;
    const double* const inverse = factor.inverse + cuda::kTileStride * J;
    if (row / cuda::kTileSize > J) matrix[i] = L.at(row, column);
    if (row / cuda::kTileSize == J)
      matrix[i] = inverse[cuda::kTileSize * (column % cuda::kTileSize) + row % cuda::kTileSize];
  });
}

/// Turns the inverses of 4x4 lower triangles on the diagonal back.
void invert_diagonal(int n, std::vector<double>& matrices) {
  for (std::size_t first = 0; first < matrices.size(); first += static_cast<std::size_t>(n) * n) {
    for (int J = 0; J < n; J += cuda::kTileSize) {
      const auto at = [&](int r, int c) -> double& {
        return matrices[first + n * (J + c) + J + r];
      };
      double D[cuda::kTileSize][cuda::kTileSize] = {};
      for (int c = 0; c < cuda::kTileSize; ++c) {
        D[c][c] = 1 / at(c, c);
        for (int r = c + 1; r < cuda::kTileSize; ++r) {
          for (int k = c; k < r; ++k) D[r][c] -= at(r, k) * D[k][c];
          D[r][c] /= at(r, r);
        }
      }
      for (int c = 0; c < cuda::kTileSize; ++c)
        for (int r = c; r < cuda::kTileSize; ++r) at(r, c) = D[r][c];
    }
  }
}

/// A batch of eigendecompositions on the device, each method from the same matrices.
struct EigenBatch {
  int count;
  std::vector<double> matrices = random_symmetric(4, count, 0);
  TwinArray<double> values, vectors, workspace;
  TwinArray<int> info;

  // cuSOLVER's overwrite the matrices
  Result<Done> upload() { return vectors.upload(matrices.data(), matrices.size()); }

  template <class Work>
  Result<PeerTime> time(const char* name, const Work& work) {
    HEFT_TRY(microseconds, median_microseconds([&] { return upload(); }, work));
    std::vector<double> e(4 * static_cast<std::size_t>(count)), V(matrices.size());
    HEFT_CHECK(values.download(e.data(), e.size()));
    HEFT_CHECK(vectors.download(V.data(), V.size()));
    return PeerTime{name, microseconds, worst_eigen_error(matrices, e, V)};
  }
};

}  // namespace

Result<std::vector<PeerTime>> time_eigendecompositions(int count) {
  HEFT_CHECK(cuda::find_device(kWhere));
  EigenBatch batch{count};
  TwinArray<double> matrices;
  HEFT_CHECK(matrices.reserve(batch.matrices.size()));
  HEFT_CHECK(matrices.upload(batch.matrices.data(), batch.matrices.size()));
  HEFT_CHECK(batch.values.reserve(4 * static_cast<std::size_t>(count)));
  HEFT_CHECK(batch.info.reserve(static_cast<std::size_t>(count)));
  HEFT_CHECK(batch.vectors.reserve(batch.matrices.size()));
  HEFT_CHECK(batch.upload());
  Solver solver;
  HEFT_CHECK(solver.create());
  std::vector<PeerTime> times;

  HEFT_TRY(ours, batch.time("Jacobi, one thread a matrix (Heft)", [&]() -> Result<Done> {
    const double* const from = matrices.device();
    const dim3 grid(static_cast<unsigned>((count + kThreads - 1) / kThreads));
    return check(cuda::launch_kernel(eigen4_kernel, grid, kThreads, 0, nullptr, count, from,
                                     batch.values.device(), batch.vectors.device()),
                 kWhere, "launch");
  }));
  times.push_back(ours);

  const auto vectors = CUSOLVER_EIG_MODE_VECTOR;
  const auto lower = CUBLAS_FILL_MODE_LOWER;
  int size = 0;
  HEFT_CHECK(check(
      cusolverDnDsyevjBatched_bufferSize(solver.handle, vectors, lower, 4, batch.vectors.device(),
                                         4, batch.values.device(), &size, solver.jacobi, count),
      "workspace"));
  HEFT_CHECK(batch.workspace.reserve(static_cast<std::size_t>(std::max(size, 1))));
  HEFT_TRY(jacobi, batch.time("cusolverDnDsyevjBatched", [&] {
    return check(cusolverDnDsyevjBatched(solver.handle, vectors, lower, 4, batch.vectors.device(),
                                         4, batch.values.device(), batch.workspace.device(), size,
                                         batch.info.device(), solver.jacobi, count),
                 "syevj");
  }));
  times.push_back(jacobi);

#if CUSOLVER_VERSION >= 11701  // of CUDA 12.6; those before have no such function
  const auto general = [&]() -> Result<PeerTime> {
    std::size_t device_bytes = 0, host_bytes = 0;
    HEFT_CHECK(check(
        cusolverDnXsyevBatched_bufferSize(
            solver.handle, solver.parameters, vectors, lower, 4, CUDA_R_64F, batch.vectors.device(),
            4, CUDA_R_64F, batch.values.device(), CUDA_R_64F, &device_bytes, &host_bytes, count),
        "workspace"));
    HEFT_CHECK(batch.workspace.reserve(device_bytes / sizeof(double) + 1));
    std::vector<char> host_workspace(host_bytes + 1);
    return batch.time("cusolverDnXsyevBatched", [&] {
      return check(
          cusolverDnXsyevBatched(solver.handle, solver.parameters, vectors, lower, 4, CUDA_R_64F,
                                 batch.vectors.device(), 4, CUDA_R_64F, batch.values.device(),
                                 CUDA_R_64F, batch.workspace.device(), device_bytes,
                                 host_workspace.data(), host_bytes, batch.info.device(), count),
          "syev");
    });
  }();
  // of 70 000 matrices it fails with an internal error (CUDA 13.0, H100), of more for lack of
  // memory
  times.push_back(general ? *general : PeerTime{"cusolverDnXsyevBatched, failed", NAN, NAN});
#endif
  return times;
}

Result<std::vector<PeerTime>> time_factorizations(int size, int count) {
  HEFT_TRY(device, cuda::find_device(kWhere));
  const int num_tiles = size / cuda::kTileSize;
  // diagonally dominant, so that none is indefinite
  const std::vector<double> matrices = random_symmetric(size, count, 5.0 * size);
  TwinArray<double> factors;
  TwinArray<int> info;
  HEFT_CHECK(info.reserve(static_cast<std::size_t>(count)));
  HEFT_CHECK(factors.reserve(matrices.size()));
  std::vector<double> host(matrices.size());
  const auto upload = [&] { return factors.upload(matrices.data(), matrices.size()); };
  std::vector<PeerTime> times;

  const int bytes = static_cast<int>(sizeof(double)) *
                    (TiledMatrix::size_for(num_tiles) + cuda::TiledFactor::inverse_size(num_tiles));
  HEFT_CHECK(check(cudaFuncSetAttribute(factor_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                        static_cast<int>(device.sharedMemPerBlockOptin)),
                   kWhere, "shared memory"));
  HEFT_TRY(ours, median_microseconds(upload, [&]() -> Result<Done> {
             return check(cuda::launch_kernel(factor_kernel, dim3(static_cast<unsigned>(count)),
                                              kThreads, static_cast<std::size_t>(bytes), nullptr,
                                              num_tiles, factors.device()),
                          kWhere, "launch");
           }));
  HEFT_CHECK(factors.download(host.data(), host.size()));
  invert_diagonal(size, host);
  times.push_back({"tiles in shared memory, one block a matrix (Heft)", ours,
                   worst_factor_error(size, matrices, host)});

  Solver solver;
  HEFT_CHECK(solver.create());
  std::vector<double*> places(static_cast<std::size_t>(count));
  TwinArray<double*> d_places;
  HEFT_CHECK(d_places.reserve(places.size()));
  const std::size_t stride = static_cast<std::size_t>(size) * static_cast<std::size_t>(size);
  HEFT_TRY(theirs, median_microseconds(
                       [&]() -> Result<Done> {
                         HEFT_CHECK(upload());
                         for (std::size_t k = 0; k < places.size(); ++k)
                           places[k] = factors.device() + k * stride;
                         return d_places.upload(places.data(), places.size());
                       },
                       [&] {
                         return check(
                             cusolverDnDpotrfBatched(solver.handle, CUBLAS_FILL_MODE_LOWER, size,
                                                     d_places.device(), size, info.device(), count),
                             "potrf");
                       }));
  HEFT_CHECK(factors.download(host.data(), host.size()));
  times.push_back({"cusolverDnDpotrfBatched", theirs, worst_factor_error(size, matrices, host)});
  return times;
}

}  // namespace heft
