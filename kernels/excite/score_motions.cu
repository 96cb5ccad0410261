// Scores candidate motions of a robot: rows, information G = sum_c w_c sum_s y y' in structural
// columns, the objective -log det(G + V^-1) with its slope, torques with their deviations,
// extremes, and the gradient with respect to the coefficients (FORMULAS 9). The same steps as
// host/applications/excite on the CPU, from the same core/regressor.hpp and core/row_adjoint.hpp.
//
// Mapping. Rows, deviations, derivatives of rows, adjoint: a thread per sample; block y is the
// motion, block z the channel. Products: a block per tile of 32 x 32 columns of a channel and
// motion, a thread per 4 x 4 of them, samples in steps of 32 through shared memory. Information: a
// thread per entry. Factor, inverse root and slope: a block per motion, a thread per entry of what
// is left of the matrix, or per column of the root. Gradient and extremes: a thread per coefficient
// or limit, looping over samples in order. Every sum has a fixed order: bits depend neither on
// other motions of the launch nor on the device.
//
// Shared memory: two tiles of 32 columns x 33 samples for products, 64 partial sums for log det.
// Products do 16 multiply-adds per 8 loads from shared memory; all others are limited by latency
// and memory, and gain from the number of motions.
//
// Threads of a block: 64
//
// Resources according to the compiler:
//
//   kernel                     registers  shared stack spilled  sm_80 sm_90 sm_100 sm_120
//   motion_rows_kernel               120       0    40       0      8     9     10     10
//   motion_deviations_kernel          64       0     0       0     18    18     16     18
//   motion_products_kernel           136   16896     0       0      9    12     13      5
//   motion_information_kernel         40       0     0       0     32    32     32     24
//   motion_log_det_kernel             48     512     0       0     21    21     32     24
//   motion_extremes_kernel            48       0     0       0     21    21     21     21
//   motion_bars_kernel                96       0     0       0     14    14     12     10
//   motion_adjoint_kernel            166       0    40       0      6     6      6      6
//   motion_gradient_kernel            48       0     0       0     21    25     32     24
#include "score_motions.cuh"

#include "../cuda_edge.cuh"
#include "sample_thread.hpp"

namespace heft::cuda {

namespace {

constexpr int kThreads = 64, kSide = 8, kTileSamples = 32, kColumnsAtATime = 8;

/// Added to a torque's variance, so that its root is differentiable at zero [(N m)^2].
constexpr double kLeastVariance = 1e-12;

/// The memory of the motion of this block.
__device__ double* memory_of(const MotionLaunch& launch) {
  return launch.pass.memory + launch.pass.slots[blockIdx.y] * launch.layout.size;
}
__device__ const double* up_of(const MotionLaunch& launch) {
  return launch.pass.up + blockIdx.y * launch.pass.transfer.up_size;
}
__device__ double* down_of(const MotionLaunch& launch) {
  return launch.pass.down + blockIdx.y * launch.pass.transfer.down_size;
}
__device__ int thread_of_grid() {
  return static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
}

/// A derivative of coordinate k at a sample.
__device__ double motion_at(const MotionBasis& basis, const double* coefficients, int sample) {
  const double* const values = basis.values + static_cast<std::ptrdiff_t>(sample) * basis.width;
  double sum = 0;
  for (int i = 0; i < basis.width; ++i) sum += values[i] * coefficients[basis.first[sample] + i];
  return sum;
}

/// Motion, rows and torques: a thread per sample.
__global__ void __launch_bounds__(kThreads) motion_rows_kernel(MotionLaunch launch) {
  const MotionTables& tables = launch.tables;
  const int sample = thread_of_grid(), n = tables.tree.num_coordinates;
  if (sample >= tables.num_samples) return;
  const std::ptrdiff_t stride = tables.num_samples;
  double* const memory = memory_of(launch);
  const double* const coefficients = up_of(launch) + launch.pass.transfer.coefficients;
  const SampleColumns motion{memory + launch.layout.motion + sample, stride};
#pragma unroll
  for (int order = 0; order < kMotionOrders; ++order)
    for (int k = 0; k < n; ++k)
      motion(order * n + k) =
          motion_at(tables.basis[order], coefficients + k * tables.num_coefficients, sample);
  const SampleColumns rows{memory + launch.layout.rows + sample, stride};
  const SampleMotion in{motion, tables.base, n};
  SampleColumns workspace{memory + launch.layout.workspace + sample, stride};
  SampleRows sink{rows, tables.first};
  core::put_regressor_rows<double>(tables.tree, in, workspace, sink);
  const std::ptrdiff_t copied = launch.pass.transfer.torque;
  for (int c = 0; c < tables.tree.num_channels; ++c) {
    double torque = 0;
    for (int i = tables.first[c]; i < tables.first[c + 1]; ++i)
      torque += tables.reference[i] * rows(i);
    memory[launch.layout.torque + c * stride + sample] = torque;
    if (copied >= 0) down_of(launch)[copied + c * stride + sample] = torque;
  }
}

/// sqrt(y' V y): a thread per sample and channel.
__global__ void __launch_bounds__(kThreads) motion_deviations_kernel(MotionLaunch launch) {
  const MotionTables& tables = launch.tables;
  const int sample = thread_of_grid(), c = static_cast<int>(blockIdx.z);
  if (sample >= tables.num_samples) return;
  const std::ptrdiff_t stride = tables.num_samples;
  double* const memory = memory_of(launch);
  const int width = tables.width(c);
  const SampleColumns rows{memory + launch.layout.rows + tables.first[c] * stride + sample, stride};
  const double* const variance = tables.variance + tables.squares[c];
  double sum = 0;
  for (int j = 0; j < width; j += kColumnsAtATime) {
    double products[kColumnsAtATime] = {};
    for (int i = 0; i < width; ++i) {
      const double y = rows(i);
      for (int k = 0; k < kColumnsAtATime; ++k)
        products[k] += variance[i * width + min(j + k, width - 1)] * y;
    }
    for (int k = 0; k < kColumnsAtATime; ++k)
      if (j + k < width) sum += products[k] * rows(j + k);
  }
  const double deviation = sqrt(fmax(sum + kLeastVariance, kLeastVariance));
  memory[launch.layout.deviation + c * stride + sample] = deviation;
  const std::ptrdiff_t copied = launch.pass.transfer.deviation;
  if (copied >= 0) down_of(launch)[copied + c * stride + sample] = deviation;
}

/// Columns of a tile at kTileSamples samples; zero past the last column or sample and at samples
/// that do not count.
using TileOfRows = double[kTileColumns][kTileSamples + 1];

__device__ void load_tile(const MotionTables& tables, const double* rows, int num_columns,
                          int begin, TileOfRows& tile) {
  for (int i = static_cast<int>(threadIdx.x); i < kTileColumns * kTileSamples; i += kThreads) {
    const int column = i / kTileSamples, s = i % kTileSamples, sample = begin + s;
    const bool is_there = column < num_columns && sample < tables.num_samples;
    tile[column][s] =
        is_there ? rows[column * static_cast<std::ptrdiff_t>(tables.num_samples) + sample] *
                       tables.counts[sample]
                 : 0.0;
  }
}

/// Products of two sets of columns of a channel, summed over samples: a block per tile.
__global__ void __launch_bounds__(kThreads) motion_products_kernel(MotionLaunch launch) {
  __shared__ TileOfRows left, right;
  const MotionTables& tables = launch.tables;
  const ProductTile tile = tables.tiles[blockIdx.x];
  const int width = tables.width(tile.channel);
  const int row = static_cast<int>(threadIdx.x) / kSide,
            column = static_cast<int>(threadIdx.x) % kSide;
  double* const memory = memory_of(launch);
  const std::ptrdiff_t stride = tables.num_samples;
  const double* const rows = memory + launch.layout.rows + tables.first[tile.channel] * stride;
  double sums[4][4] = {};
  for (int begin = 0; begin < tables.num_samples; begin += kTileSamples) {
    load_tile(tables, rows + tile.left * stride, width - tile.left, begin, left);
    load_tile(tables, rows + tile.right * stride, width - tile.right, begin, right);
    __syncthreads();
    for (int s = 0; s < kTileSamples; ++s)
      for (int a = 0; a < 4; ++a)
        for (int b = 0; b < 4; ++b)
          sums[a][b] += left[row + kSide * a][s] * right[column + kSide * b][s];
    __syncthreads();
  }
  double* const products = memory + launch.layout.products + tables.squares[tile.channel];
  for (int a = 0; a < 4; ++a)
    for (int b = 0; b < 4; ++b) {
      const int i = tile.left + row + kSide * a, j = tile.right + column + kSide * b;
      if (i < width && j < width) products[i * width + j] = sums[a][b];
    }
}

/// G of all channels: a thread per entry.
__global__ void __launch_bounds__(kThreads) motion_information_kernel(MotionLaunch launch) {
  const MotionTables& tables = launch.tables;
  const int m = tables.num_columns, entry = thread_of_grid();
  if (entry >= m * m) return;
  const int a = entry / m, b = entry % m;
  double* const memory = memory_of(launch);
  double sum = 0;
  for (int c = 0; c < tables.tree.num_channels; ++c) {
    const int i = tables.places[c * m + a], j = tables.places[c * m + b];
    if (i < 0 || j < 0) continue;
    const double* const products = memory + launch.layout.products + tables.squares[c];
    sum += tables.weights[c] * products[max(i, j) * tables.width(c) + min(i, j)];
  }
  memory[launch.layout.information + entry] = sum;
  const std::ptrdiff_t copied = launch.pass.transfer.information;
  if (copied >= 0) down_of(launch)[copied + entry] = sum;
}

/// -log det(G + V^-1), infinite if that is not positive definite, and its slope: a block per
/// motion. Columns differ by many powers of ten: the matrix gets a unit diagonal first.
__global__ void __launch_bounds__(kThreads) motion_log_det_kernel(MotionLaunch launch) {
  __shared__ double logs[kThreads];
  const int m = launch.tables.num_columns, thread = static_cast<int>(threadIdx.x);
  double* const memory = memory_of(launch);
  const double* const G = memory + launch.layout.information;
  const double* const precision = launch.tables.precision;
  double *const scale = memory + launch.layout.scale, *const L = memory + launch.layout.factor,
                *const root = memory + launch.layout.root,
                *const slope = memory + launch.layout.slope;
  double& value = down_of(launch)[launch.pass.transfer.value];
  for (int a = thread; a < m; a += kThreads)
    scale[a] = 1 / sqrt(precision[a * m + a] + G[a * m + a]);
  __syncthreads();
  for (int i = thread; i < m * m; i += kThreads)
    L[i] = (precision[i] + G[i]) * (scale[i / m] * scale[i % m]);
  __syncthreads();
  // column k of the factor is L[k m + i] / sqrt(L[k m + k])
  for (int k = 0; k < m; ++k) {
    const double pivot = L[k * m + k];
    if (!(pivot > 0)) {
      if (thread == 0) value = INFINITY;
      return;
    }
    const double inverse = 1 / pivot;
    const int left = m - k - 1;
    for (int e = thread; e < left * left; e += kThreads) {
      const int i = k + 1 + e % left, j = k + 1 + e / left;
      if (j <= i) L[j * m + i] -= L[k * m + i] * (L[k * m + j] * inverse);
    }
    __syncthreads();
  }
  double* const inverse_roots = scale + m;  // of the pivots
  double sum = 0;
  for (int a = thread; a < m; a += kThreads) {
    sum += log(L[a * m + a]) - 2 * log(scale[a]);
    inverse_roots[a] = 1 / sqrt(L[a * m + a]);
  }
  logs[thread] = sum;
  __syncthreads();
  // the inverse of the factor, a thread per column
  for (int j = thread; j < m; j += kThreads) {
    root[j * m + j] = inverse_roots[j];
    for (int i = j + 1; i < m; ++i) {
      double product = 0;
      for (int k = j; k < i; ++k) product += L[k * m + i] * (inverse_roots[k] * root[k * m + j]);
      root[i * m + j] = -product * inverse_roots[i];
    }
  }
  __syncthreads();
  for (int e = thread; e < m * m; e += kThreads) {
    const int a = e / m, b = e % m;
    double inverse = 0;
    for (int k = max(a, b); k < m; ++k) inverse += root[k * m + a] * root[k * m + b];
    slope[e] = -inverse * (scale[a] * scale[b]);
  }
  if (thread != 0) return;
  double total = 0;
  for (int i = 0; i < kThreads; ++i) total += logs[i];
  value = -total;
}

/// The largest |value| / limit over the samples: a thread per quantity and coordinate.
__global__ void __launch_bounds__(kThreads) motion_extremes_kernel(MotionLaunch launch) {
  constexpr int kTorque = kLimitedQuantities - 1;
  const MotionTables& tables = launch.tables;
  const int n = tables.tree.num_coordinates, at = thread_of_grid();
  if (at >= kLimitedQuantities * n) return;
  const int quantity = at / n, k = at % n;
  const std::ptrdiff_t stride = tables.num_samples;
  const double* const memory = memory_of(launch);
  const double* const coefficients =
      up_of(launch) + launch.pass.transfer.coefficients + k * tables.num_coefficients;
  const double limit = tables.limits[at];
  double most = 0;
  for (int s = 0; s < tables.num_samples && limit > 0; ++s) {
    double size;
    if (quantity == kTorque) {
      size = fabs(memory[launch.layout.torque + k * stride + s]);
      if (tables.deviations > 0)
        size += tables.deviations * memory[launch.layout.deviation + k * stride + s];
    } else if (quantity == kMotionOrders) {
      size = fabs(motion_at(tables.basis[kMotionOrders], coefficients, s));
    } else {
      const double middle = quantity == 0 ? tables.middle[k] : 0.0;
      size = fabs(memory[launch.layout.motion + (quantity * n + k) * stride + s] - middle);
    }
    most = fmax(most, size / limit);
  }
  down_of(launch)[launch.pass.transfer.extremes + at] = most;
}

/// Derivatives of the value with respect to the rows: a thread per sample and channel,
///   2 w S y + by_torque reference + by_deviation / deviation V y
__global__ void __launch_bounds__(kThreads) motion_bars_kernel(MotionLaunch launch) {
  const MotionTables& tables = launch.tables;
  const MotionTransfer& transfer = launch.pass.transfer;
  const int sample = thread_of_grid(), c = static_cast<int>(blockIdx.z);
  if (sample >= tables.num_samples) return;
  const std::ptrdiff_t stride = tables.num_samples;
  const int width = tables.width(c), first = tables.first[c], m = tables.num_columns;
  double* const memory = memory_of(launch);
  const double* const up = up_of(launch);
  const SampleColumns rows{memory + launch.layout.rows + first * stride + sample, stride};
  const SampleColumns bars{memory + launch.layout.bars + first * stride + sample, stride};
  const double* const slope =
      transfer.slope >= 0 ? up + transfer.slope : memory + launch.layout.slope;
  const double* const variance = tables.variance + tables.squares[c];
  const double weight = 2 * tables.weights[c] * tables.counts[sample];
  double by_torque = 0, by_spread = 0;
  if (transfer.by_torque >= 0) by_torque = up[transfer.by_torque + c * stride + sample];
  if (transfer.by_deviation >= 0)
    by_spread = up[transfer.by_deviation + c * stride + sample] /
                fmax(memory[launch.layout.deviation + c * stride + sample], kLeastVariance);
  for (int j = 0; j < width; j += kColumnsAtATime) {
    double by_slope[kColumnsAtATime] = {}, by_variance[kColumnsAtATime] = {};
    for (int i = 0; i < width; ++i) {
      const double y = rows(i);
      const double* const slopes = slope + tables.columns[first + i] * m;
      for (int k = 0; k < kColumnsAtATime; ++k)
        by_slope[k] += slopes[tables.columns[first + min(j + k, width - 1)]] * y;
      if (transfer.by_deviation < 0) continue;
      for (int k = 0; k < kColumnsAtATime; ++k)
        by_variance[k] += variance[i * width + min(j + k, width - 1)] * y;
    }
    for (int k = 0; k < kColumnsAtATime; ++k)
      if (j + k < width)
        bars(j + k) = weight * by_slope[k] + by_spread * by_variance[k] +
                      by_torque * tables.reference[first + j + k];
  }
}

/// Derivatives with respect to the motion: a thread per sample.
__global__ void __launch_bounds__(kThreads) motion_adjoint_kernel(MotionLaunch launch) {
  const MotionTables& tables = launch.tables;
  const int sample = thread_of_grid(), n = tables.tree.num_coordinates;
  if (sample >= tables.num_samples) return;
  const std::ptrdiff_t stride = tables.num_samples;
  double* const memory = memory_of(launch);
  const SampleMotion in{{memory + launch.layout.motion + sample, stride}, tables.base, n};
  SampleColumns workspace{memory + launch.layout.workspace + sample, stride};
  const SampleBars bars{{memory + launch.layout.rows + sample, stride},
                        {memory + launch.layout.bars + sample, stride},
                        tables.first};
  SampleGradient gradient{{memory + launch.layout.by_motion + sample, stride}, n};
  for (int i = 0; i < kMotionOrders * n; ++i) gradient.by_motion(i) = 0;
  core::RowAdjoint<double, SampleMotion, SampleColumns, SampleBars, SampleGradient>(
      tables.tree, in, workspace, bars, gradient)
      .put();
}

/// Derivatives with respect to the coefficients: a thread each.
__global__ void __launch_bounds__(kThreads) motion_gradient_kernel(MotionLaunch launch) {
  const MotionTables& tables = launch.tables;
  const int n = tables.tree.num_coordinates, at = thread_of_grid();
  if (at >= tables.num_coefficients * n) return;
  const int k = at / tables.num_coefficients, i = at % tables.num_coefficients;
  const std::ptrdiff_t stride = tables.num_samples;
  const double* const memory = memory_of(launch);
  double sum = 0;
#pragma unroll
  for (int order = 0; order < kMotionOrders; ++order) {
    const MotionBasis& basis = tables.basis[order];
    const double* const by = memory + launch.layout.by_motion + (order * n + k) * stride;
    for (int s = basis.begin[i]; s < basis.end[i]; ++s)
      sum +=
          basis.values[static_cast<std::ptrdiff_t>(s) * basis.width + i - basis.first[s]] * by[s];
  }
  down_of(launch)[launch.pass.transfer.gradient + at] = sum;
}

/// Launches kernels for all motions of a pass until one fails.
class Sequence {
 public:
  Sequence(const MotionLaunch& launch, int* launches) : launch_(launch), launches_(launches) {}

  /// `num_blocks` along x, times `depth` along z.
  void run(void (*kernel)(MotionLaunch), int num_blocks, int depth = 1) {
    if (status_ != cudaSuccess) return;
    const dim3 grid(static_cast<unsigned>(num_blocks), static_cast<unsigned>(launch_.num_motions),
                    static_cast<unsigned>(depth));
    status_ = launch_kernel(kernel, grid, kThreads, 0, launch_.stream, launch_);
    ++*launches_;
  }
  /// With a thread for each of `count`.
  void run_each(void (*kernel)(MotionLaunch), int count, int depth = 1) {
    run(kernel, (count + kThreads - 1) / kThreads, depth);
  }
  cudaError_t status() const { return status_; }

 private:
  const MotionLaunch& launch_;
  int* launches_;
  cudaError_t status_ = cudaSuccess;
};

}  // namespace

cudaError_t launch_motion_rows(const MotionLaunch& launch, int* launches) {
  const MotionTables& tables = launch.tables;
  const MotionTransfer& transfer = launch.pass.transfer;
  Sequence sequence(launch, launches);
  sequence.run_each(motion_rows_kernel, tables.num_samples);
  if (tables.deviations > 0)
    sequence.run_each(motion_deviations_kernel, tables.num_samples, tables.tree.num_channels);
  sequence.run(motion_products_kernel, tables.num_tiles);
  sequence.run_each(motion_information_kernel, tables.num_columns * tables.num_columns);
  if (transfer.value >= 0) sequence.run(motion_log_det_kernel, 1);
  if (transfer.extremes >= 0)
    sequence.run_each(motion_extremes_kernel, kLimitedQuantities * tables.tree.num_coordinates);
  return sequence.status();
}

cudaError_t launch_motion_gradient(const MotionLaunch& launch, int* launches) {
  const MotionTables& tables = launch.tables;
  Sequence sequence(launch, launches);
  sequence.run_each(motion_bars_kernel, tables.num_samples, tables.tree.num_channels);
  sequence.run_each(motion_adjoint_kernel, tables.num_samples);
  sequence.run_each(motion_gradient_kernel, tables.num_coefficients * tables.tree.num_coordinates);
  return sequence.status();
}

}  // namespace heft::cuda
