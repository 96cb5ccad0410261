// Names of the charts.
// Threads: plain values: share them for reading; a thread that changes one must own it.
#pragma once

#include "heft/base/enum_names.hpp"

namespace heft {

enum class ChartKind : int {
  log_cholesky,          ///< heft/core/log_cholesky.hpp: (a, d1, d2, d3, s12, s23, s13, t1, t2, t3)
  exponential,           ///< heft/core/exponential_chart.hpp with L = 1: in SI units
  exponential_at_prior,  ///< the same with the lower Cholesky factor L of a prior
  manifold,              ///< heft/core/manifold_chart.hpp: (m, c, quaternion w x y z, L)
};

template <>
struct EnumNames<ChartKind> {
  static constexpr EnumName<ChartKind> kList[] = {
      {ChartKind::log_cholesky, "log_cholesky"},
      {ChartKind::exponential, "exponential"},
      {ChartKind::exponential_at_prior, "exponential_at_prior"},
      {ChartKind::manifold, "manifold"}};
};

}  // namespace heft
