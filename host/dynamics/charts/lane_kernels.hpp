// Charts of many bodies, a pack of bodies at a time. Included once per instruction set and
// namespace.
#pragma once

#include "kernels.hpp"
#include "lane.hpp"
// included after the functions of the lanes, so that the templates find them
#include "heft/core/exponential_chart.hpp"
#include "heft/core/log_cholesky.hpp"
#include "heft/core/manifold_chart.hpp"

namespace heft::charts::HEFT_CHARTS_TARGET {

/// kCount numbers of the bodies from `first` on; past the last body it repeats.
template <int kCount>
HEFT_HD void load(const double* columns, std::ptrdiff_t num_bodies, std::ptrdiff_t first,
                  Lane* numbers) {
  if (first + Lane::kLanes <= num_bodies) {
#pragma GCC unroll 16
    for (int k = 0; k < kCount; ++k)
      std::memcpy(&numbers[k].v, columns + k * num_bodies + first, sizeof(LaneVector));
    return;
  }
  for (int k = 0; k < kCount; ++k)
    for (int i = 0; i < Lane::kLanes; ++i)
      numbers[k].v[i] =
          columns[k * num_bodies + (first + i < num_bodies ? first + i : num_bodies - 1)];
}

template <int kCount>
HEFT_HD void store(const Lane* numbers, std::ptrdiff_t num_bodies, std::ptrdiff_t first,
                   double* columns) {
  if (first + Lane::kLanes <= num_bodies) {
#pragma GCC unroll 16
    for (int k = 0; k < kCount; ++k)
      std::memcpy(columns + k * num_bodies + first, &numbers[k].v, sizeof(LaneVector));
    return;
  }
  for (int k = 0; k < kCount; ++k)
    for (std::ptrdiff_t i = 0; first + i < num_bodies; ++i)
      columns[k * num_bodies + first + i] = numbers[k].v[i];
}

/// Applies function(in, out) to all bodies, with kIn and kOut numbers per body.
template <int kIn, int kOut, class Function>
inline void for_bodies(std::ptrdiff_t num_bodies, const double* in, double* out,
                       const Function& function) {
  for (std::ptrdiff_t first = 0; first < num_bodies; first += Lane::kLanes) {
    Lane from[kIn], to[kOut];
    load<kIn>(in, num_bodies, first, from);
    function(from, to);
    store<kOut>(to, num_bodies, first, out);
  }
}

struct LaneFactor {
  Lane L[16];
  explicit LaneFactor(const double* factor) {
    for (int i = 0; i < 16; ++i) L[i] = Lane(factor[i]);
  }
};

inline void map(ChartKind kind, const double* factor, std::ptrdiff_t n, const double* points,
                double* parameters) {
  const LaneFactor scale(factor);
  switch (kind) {
    case ChartKind::log_cholesky:
      return for_bodies<10, 10>(n, points, parameters, [](const Lane* p, Lane* x) {
        core::parameters_from_log_cholesky(p, x);
      });
    case ChartKind::exponential:
    case ChartKind::exponential_at_prior:
      return for_bodies<10, 10>(n, points, parameters, [&](const Lane* p, Lane* x) {
        core::parameters_from_exponential(scale.L, p, x);
      });
    case ChartKind::manifold:
      return for_bodies<11, 10>(n, points, parameters, [](const Lane* p, Lane* x) {
        core::parameters_from_manifold(p, x);
      });
  }
}

inline void inverse(ChartKind kind, const double* factor, std::ptrdiff_t n,
                    const double* parameters, double* points) {
  const LaneFactor scale(factor);
  switch (kind) {
    case ChartKind::log_cholesky:
      return for_bodies<10, 10>(n, parameters, points, [](const Lane* x, Lane* p) {
        core::log_cholesky_from_parameters(x, p);
      });
    case ChartKind::exponential:
    case ChartKind::exponential_at_prior:
      return for_bodies<10, 10>(n, parameters, points, [&](const Lane* x, Lane* p) {
        core::exponential_from_parameters(scale.L, x, p);
      });
    case ChartKind::manifold:
      return for_bodies<10, 11>(n, parameters, points, [](const Lane* x, Lane* p) {
        core::manifold_from_parameters(x, p);
      });
  }
}

/// Applies function(point, g, gradient) to all bodies.
template <int kPoint, class Function>
inline void for_gradients(std::ptrdiff_t n, const double* points, const double* g,
                          double* gradients, const Function& function) {
  for (std::ptrdiff_t first = 0; first < n; first += Lane::kLanes) {
    Lane point[kPoint], by_parameters[10], result[10];
    load<kPoint>(points, n, first, point);
    load<10>(g, n, first, by_parameters);
    function(point, by_parameters, result);
    store<10>(result, n, first, gradients);
  }
}

inline void gradient(ChartKind kind, const double* factor, std::ptrdiff_t n, const double* points,
                     const double* g, double* gradients) {
  const LaneFactor scale(factor);
  switch (kind) {
    case ChartKind::log_cholesky:
      return for_gradients<10>(n, points, g, gradients,
                               [](const Lane* p, const Lane* by, Lane* result) {
                                 core::log_cholesky_gradient(p, by, result);
                               });
    case ChartKind::exponential:
    case ChartKind::exponential_at_prior:
      return for_gradients<10>(n, points, g, gradients,
                               [&](const Lane* p, const Lane* by, Lane* result) {
                                 core::exponential_gradient(scale.L, p, by, result);
                               });
    case ChartKind::manifold:
      return for_gradients<11>(n, points, g, gradients,
                               [](const Lane* p, const Lane* by, Lane* result) {
                                 core::manifold_gradient(p, by, result);
                               });
  }
}

/// Jacobians of a pack of bodies, of which `count` are written, 100 numbers per body.
template <int kPoint, class Function>
inline void for_jacobians(std::ptrdiff_t n, const double* points, double* jacobians,
                          const Function& function) {
  for (std::ptrdiff_t first = 0; first < n; first += Lane::kLanes) {
    Lane point[kPoint], jacobian[100];
    load<kPoint>(points, n, first, point);
    function(point, jacobian);
    const double* const numbers = reinterpret_cast<const double*>(jacobian);
    double* const out = jacobians + 100 * first;
    const int count = n - first < Lane::kLanes ? static_cast<int>(n - first) : Lane::kLanes;
    for (int i = 0; i < count; ++i)
#pragma GCC unroll 4
      for (int k = 0; k < 100; ++k) out[100 * i + k] = numbers[Lane::kLanes * k + i];
  }
}

inline void jacobian(ChartKind kind, const double* factor, std::ptrdiff_t n, const double* points,
                     double* jacobians) {
  const LaneFactor scale(factor);
  switch (kind) {
    case ChartKind::log_cholesky:
      return for_jacobians<10>(n, points, jacobians,
                               [](const Lane* p, Lane* J) { core::log_cholesky_jacobian(p, J); });
    case ChartKind::exponential:
    case ChartKind::exponential_at_prior:
      return for_jacobians<10>(n, points, jacobians, [&](const Lane* p, Lane* J) {
        core::exponential_jacobian(scale.L, p, J);
      });
    case ChartKind::manifold:
      return for_jacobians<11>(n, points, jacobians,
                               [](const Lane* p, Lane* J) { core::manifold_jacobian(p, J); });
  }
}

constexpr Kernels kernels() {
  return {map, inverse, gradient, jacobian};
}

}  // namespace heft::charts::HEFT_CHARTS_TARGET
