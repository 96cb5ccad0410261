// Selects the CPU's chunk kernels: those with the widest instructions of the processor, or others
// on request.
#pragma once

#include "executor/kernels.hpp"
#include "heft/executor/executor.hpp"

#pragma GCC visibility push(default)
namespace heft::cpu {

/// Returns the kernels of an instruction set; never null. Error: this processor does not have it.
Result<const LaneKernels*> lane_kernels(InstructionSet set);

}  // namespace heft::cpu
#pragma GCC visibility pop
