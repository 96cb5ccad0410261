// The CPU's chunk kernels behind function pointers, one set per instruction set, picked at run time.
#pragma once

#include <cstddef>
#include <cstdint>

#include "heft/core/sample_view.hpp"
#include "heft/core/tree.hpp"

namespace heft::cpu {

/// The functions of lane_kernels.hpp, compiled for one instruction set.
struct LaneKernels {
  const char* name;  ///< "AVX-512", "AVX2" or "SSE2"
  std::size_t (*scratch_bytes)(const core::TreeView& tree);
  void (*accumulate_chunk)(const core::TreeView& tree, const core::SampleView& samples, std::int64_t begin,
                           int count, void* scratch, double* packed);
  void (*predict_chunk)(const core::TreeView& tree, const core::SampleView& samples, std::int64_t begin,
                        int count, const double* const* coefficients, void* scratch, double* torque,
                        std::int64_t stride);
};

extern const LaneKernels kAvx512Kernels;
extern const LaneKernels kAvx2Kernels;
extern const LaneKernels kBaselineKernels;

/// The widest set that this processor has; HEFT_CPU=avx512|avx2|baseline in the environment asks for another.
const LaneKernels& lane_kernels();

}  // namespace heft::cpu
