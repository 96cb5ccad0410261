// Charts and rows of mechanics in a thread of a device: all of it compiles for one, under the rule
// that device code calls device code. tests/device_on_host/charts_on_host_test.cpp runs it.
#include "heft/core/exponential_chart.hpp"
#include "heft/core/log_cholesky.hpp"
#include "heft/core/manifold_chart.hpp"
#include "heft/core/mechanics_rows.hpp"

namespace heft::testing {

/// A thread a body; a column a number. `out`: map, inverse, J'g and the sum of the Jacobian of
/// three charts, 93 numbers a body.
__global__ void charts_kernel(const double* L, const double* points, const double* g, double* out,
                              int n) {
  const int body = blockIdx.x * blockDim.x + threadIdx.x;
  if (body >= n) return;
  double point[core::kManifoldNumbers], by_parameters[10], parameters[10], gradient[10],
      jacobian[100], again[11];
  for (int k = 0; k < core::kManifoldNumbers; ++k) point[k] = points[k * n + body];
  for (int k = 0; k < 10; ++k) by_parameters[k] = g[k * n + body];
  int at = 0;
  const auto keep = [&] {
    double sum = 0;
    for (const double entry : jacobian) sum += entry;
    for (int k = 0; k < 10; ++k) {
      out[(at + k) * n + body] = parameters[k];
      out[(at + 10 + k) * n + body] = gradient[k];
      out[(at + 20 + k) * n + body] = again[k];
    }
    out[(at + 30) * n + body] = sum;
    at += 31;
  };
  core::parameters_from_log_cholesky(point, parameters);
  core::log_cholesky_from_parameters(parameters, again);
  core::log_cholesky_gradient(point, by_parameters, gradient);
  core::log_cholesky_jacobian(point, jacobian);
  keep();
  core::parameters_from_exponential(L, point, parameters);
  core::exponential_from_parameters(L, parameters, again);
  core::exponential_gradient(L, point, by_parameters, gradient);
  core::exponential_jacobian(L, point, jacobian);
  keep();
  core::parameters_from_manifold(point, parameters);
  core::manifold_from_parameters(parameters, again);
  core::manifold_gradient(point, by_parameters, gradient);
  core::manifold_jacobian(point, jacobian);
  keep();
}

struct DeviceState {
  const double* numbers;
  int n;
  __device__ double position(int k) const { return numbers[k]; }
  __device__ double velocity(int k) const { return numbers[n + k]; }
  __device__ double acceleration(int k) const { return numbers[2 * n + k]; }
};

struct DeviceWorkspace {
  double* memory;
  __device__ double& operator()(std::ptrdiff_t i) { return memory[i]; }
};

struct DeviceRows {
  double* rows;
  int width;
  __device__ void channel_row(int channel, int body, const double* row) const {
    for (int k = 0; k < 10; ++k) rows[channel * width + 10 * body + k] = row[k];
  }
  __device__ void body_row(int body, const double* row) const { channel_row(0, body, row); }
};

/// A thread a state, of a robot on a base that stands.
__global__ void mechanics_kernel(const core::MechanicsTree* tree,
                                 const core::BodyState<double>* base, core::MechanicsRow kind,
                                 const double* states, double* memory, double* rows, int num_rows,
                                 int num_states) {
  const int state = blockIdx.x * blockDim.x + threadIdx.x, n = tree->tree.num_coordinates,
            width = 10 * tree->tree.num_bodies;
  if (state >= num_states) return;
  const DeviceState in{states + 3 * n * state, n};
  DeviceWorkspace workspace{memory + core::mechanics_workspace_size(tree->tree) * state};
  DeviceRows sink{rows + static_cast<std::ptrdiff_t>(num_rows) * width * state, width};
  core::put_mechanics_rows(*tree, kind, *base, in, workspace, sink);
}

}  // namespace heft::testing
