// The kernels of kernels.hpp on packs of states. Rows are computed as packs, number by number, and
// transposed to lie state by state: squares in registers, and the last two of the ten numbers as
// pairs. The including file defines HEFT_CPU_TARGET and HEFT_CPU_PACK_BYTES.
#pragma once

#include <cstring>
#include <utility>

#include "executor/pack_functions.hpp"
#include "executor/pack_turns.hpp"
#include "mechanics/kernels.hpp"
// included after the functions of the packs, so that the templates find them
#include "heft/core/mechanics_rows.hpp"

namespace heft::mechanics::HEFT_CPU_TARGET {

using P = cpu::HEFT_CPU_TARGET::Pack<double>;
constexpr int kLanes = P::kLanes;
static_assert(kLanes <= kMaxLanes);

using cpu::HEFT_CPU_TARGET::firsts_of_pairs;
using cpu::HEFT_CPU_TARGET::load;
using cpu::HEFT_CPU_TARGET::store;
using cpu::HEFT_CPU_TARGET::turn_over;

/// Input of core/.
struct PackInput {
  const RowTask& task;

  P position(int k) const { return load(task.position + k * kLanes); }
  P velocity(int k) const { return load(task.velocity + k * kLanes); }
  P acceleration(int k) const { return load(task.acceleration + k * kLanes); }
};

struct PackWorkspace {
  P* packs;
  P& operator()(std::ptrdiff_t i) { return packs[i]; }
};

/// Writes rows to the positions of their states.
struct StateSink {
  const RowTask& task;

  HEFT_HD void channel_row(int channel, int body, P* row) const {
    if (task.first_parameter[body] < 0) return;
    const std::ptrdiff_t at = channel * task.width + task.first_parameter[body];
    constexpr int kWhole = core::kNumParameters / kLanes * kLanes;
#pragma GCC unroll 8
    for (int k = 0; k < kWhole; k += kLanes) {
      turn_over(row + k);
#pragma GCC unroll 8
      for (int lane = 0; lane < kLanes; ++lane) store(row[k + lane], place(lane) + at + k);
    }
    if constexpr (kWhole < core::kNumParameters)
      put_pairs(row[kWhole], row[kWhole + 1], at + kWhole);
  }
  HEFT_HD void body_row(int body, P* row) const { channel_row(0, body, row); }

 private:
  HEFT_HD double* place(int lane) const { return task.rows + lane * task.size_of_state; }
  HEFT_HD void put_pairs(const P& a, const P& b, std::ptrdiff_t at) const {
    static_assert(core::kNumParameters % kLanes == 0 || core::kNumParameters % kLanes == 2);
    constexpr auto kLane = std::make_index_sequence<kLanes>();
    const P even(firsts_of_pairs<1>(a, b, kLane)), odd(seconds_of_pairs<1>(a, b, kLane));
#pragma GCC unroll 8
    for (int lane = 0; lane < kLanes; lane += 2) {
      std::memcpy(place(lane) + at, reinterpret_cast<const char*>(&even.v) + lane * sizeof(double),
                  2 * sizeof(double));
      std::memcpy(place(lane + 1) + at,
                  reinterpret_cast<const char*>(&odd.v) + lane * sizeof(double),
                  2 * sizeof(double));
    }
  }
};

/// A template, so that the compiler skips casts to the vectors of other instruction sets.
template <class Vector>
HEFT_HD void store_past_caches(const Vector& v, double* at) {
#if defined(__x86_64__)
  if constexpr (sizeof v == 64) _mm512_stream_pd(at, (__m512d)v);
  if constexpr (sizeof v == 32) _mm256_stream_pd(at, (__m256d)v);
  if constexpr (sizeof v == 16) _mm_stream_pd(at, (__m128d)v);
#else
  std::memcpy(at, &v, sizeof v);
#endif
}

inline void stream(const double* from, std::ptrdiff_t count, double* to) {
  for (std::ptrdiff_t k = 0; k < count; k += kLanes) store_past_caches(load(from + k).v, to + k);
}

inline void fence() {
#if defined(__x86_64__)
  _mm_sfence();
#endif
}

inline void put_rows(const RowTask& task) {
  const PackInput in{task};
  PackWorkspace workspace{reinterpret_cast<P*>(task.workspace)};
  const StateSink sink{task};
  const auto vector = [&](int i) {
    const double* const at = task.base + i * kLanes;
    return core::Vector3<P>{load(at), load(at + kLanes), load(at + 2 * kLanes)};
  };
  const core::Vector3<P> x = vector(0), y = vector(3), z = vector(6);
  const core::BodyState<P> base{{x.x, x.y, x.z, y.x, y.y, y.z, z.x, z.y, z.z},
                                vector(9),
                                vector(12),
                                vector(15),
                                vector(18),
                                vector(21),
                                vector(24)};
  core::put_mechanics_rows(task.tree, task.kind, base, in, workspace, sink);
}

constexpr Kernels kernels(const char* name) {
  return {name, kLanes, put_rows, stream, fence};
}

}  // namespace heft::mechanics::HEFT_CPU_TARGET
