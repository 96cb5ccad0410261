// A sample of a motion in a thread of a device: its rows, and the derivative of a function of them
// with respect to the motion. tests/device_on_host/adjoint_on_host_test.cpp runs it. The layout is
// that of host/applications/excite/kernels.hpp: one column per coordinate or entry of a row with
// adjacent samples, so that the accesses of a warp are adjacent.
#include "heft/core/row_adjoint.hpp"

namespace heft::testing {

struct ThreadInput {
  const double *position_of, *velocity_of, *acceleration_of, *base;
  std::ptrdiff_t stride;

  __device__ double position(int k) const { return position_of[k * stride]; }
  __device__ double velocity(int k) const { return velocity_of[k * stride]; }
  __device__ double acceleration(int k) const { return acceleration_of[k * stride]; }
  __device__ double base_motion(int i) const { return base[i]; }
  __device__ double weight(int) const { return 1; }
  __device__ double torque(int) const { return 0; }
  __device__ double signal(int) const { return 0; }
};

struct ThreadWorkspace {
  double* memory;
  std::ptrdiff_t stride;
  __device__ double& operator()(std::ptrdiff_t i) { return memory[i * stride]; }
};

struct ThreadColumns {
  double* values;
  const int* first;
  std::ptrdiff_t stride;

  __device__ double* place(int channel, int column) const {
    return values + (first[channel] + column) * stride;
  }
};

struct ThreadSink {
  ThreadColumns rows;

  struct Row {
    double* at;
    std::ptrdiff_t stride;
    __device__ void put(int k, double value) const { at[k * stride] = value; }
  };
  __device__ Row row(const core::RowEntry& entry) const {
    return {rows.place(entry.channel, entry.column), rows.stride};
  }
  __device__ void put_feature(const core::FeatureEntry& entry, double value) const {
    *rows.place(entry.channel, entry.column) = value;
  }
  __device__ void put_torque(int, double) const {}
};

struct ThreadBars {
  ThreadColumns rows, bars;

  __device__ double bar(const core::RowEntry& row, int k) const {
    return *bars.place(row.channel, row.column + k);
  }
  __device__ double bar(const core::FeatureEntry& entry) const {
    return *bars.place(entry.channel, entry.column);
  }
  __device__ double value(const core::FeatureEntry& entry) const {
    return *rows.place(entry.channel, entry.column);
  }
};

struct ThreadGradient {
  double *position, *velocity, *acceleration;
  std::ptrdiff_t stride;

  __device__ void add_position(int k, double value) const { position[k * stride] += value; }
  __device__ void add_velocity(int k, double value) const { velocity[k * stride] += value; }
  __device__ void add_acceleration(int k, double value) const { acceleration[k * stride] += value; }
};

/// A thread a sample. `motion`: q, qd, qdd, a column a coordinate; `gradient` the same, begun with
/// zeros; `memory`: the workspaces of both sweeps, a column a number.
__global__ void adjoint_kernel(const core::TreeView* tree, const double* base, const double* motion,
                               const int* first, const double* bars, double* memory, double* rows,
                               double* gradient, int num_samples) {
  const int sample = blockIdx.x * blockDim.x + threadIdx.x;
  if (sample >= num_samples) return;
  const std::ptrdiff_t stride = num_samples, order = stride * tree->num_coordinates;
  const double* const q = motion + sample;
  double* const by_q = gradient + sample;
  const ThreadInput in{q, q + order, q + 2 * order, base, stride};
  ThreadWorkspace workspace{memory + sample, stride};
  ThreadSink sink{{rows + sample, first, stride}};
  core::put_regressor_rows<double>(*tree, in, workspace, sink);
  const ThreadBars of_sample{{rows + sample, first, stride},
                             {const_cast<double*>(bars) + sample, first, stride}};
  ThreadGradient out{by_q, by_q + order, by_q + 2 * order, stride};
  core::RowAdjoint<double, ThreadInput, ThreadWorkspace, ThreadBars, ThreadGradient>(
      *tree, in, workspace, of_sample, out)
      .put();
}

}  // namespace heft::testing
