// The kernels of kernels.hpp on packs of signals. The including file defines HEFT_SIGNAL_TARGET
// (namespace) and HEFT_SIGNAL_BYTES (of a register).
#pragma once

#include <cstring>

#include "heft/core/conditioning.hpp"
#include "kernels.hpp"

namespace heft::signal::HEFT_SIGNAL_TARGET {

typedef double Pack __attribute__((vector_size(HEFT_SIGNAL_BYTES)));
constexpr int kLanes = HEFT_SIGNAL_BYTES / sizeof(double), kPacks = kSignalLanes / kLanes;

/// Filters by sections in a row. The number of sections is a template argument so that their states
/// stay in registers.
template <int kSections>
void run_sections(const Biquad* sections, double* x, std::ptrdiff_t n, std::ptrdiff_t step) {
  Pack near[kSections][kPacks], far[kSections][kPacks];
  for (int p = 0; p < kPacks; ++p) {
    Pack rest;
    std::memcpy(&rest, x + p * kLanes, sizeof rest);
    for (int s = 0; s < kSections; ++s)
      core::rest_section(sections[s], rest, near[s][p], far[s][p]);
  }
  for (std::ptrdiff_t i = 0; i < n; ++i, x += step * kSignalLanes)
#pragma GCC unroll 4
    for (int p = 0; p < kPacks; ++p) {
      Pack value;
      std::memcpy(&value, x + p * kLanes, sizeof value);
#pragma GCC unroll 4
      for (int s = 0; s < kSections; ++s)
        value = core::filter_section(sections[s], value, near[s][p], far[s][p]);
      std::memcpy(x + p * kLanes, &value, sizeof value);
    }
}

/// Four sections at a time, each on the output of the previous ones.
inline void run(const Biquad* sections, int num_sections, double* x, std::ptrdiff_t n,
                std::ptrdiff_t step) {
  for (; num_sections > 4; num_sections -= 4, sections += 4) run_sections<4>(sections, x, n, step);
  if (num_sections == 1) run_sections<1>(sections, x, n, step);
  if (num_sections == 2) run_sections<2>(sections, x, n, step);
  if (num_sections == 3) run_sections<3>(sections, x, n, step);
  if (num_sections == 4) run_sections<4>(sections, x, n, step);
}

constexpr Kernels kernels() {
  return {run};
}

}  // namespace heft::signal::HEFT_SIGNAL_TARGET
