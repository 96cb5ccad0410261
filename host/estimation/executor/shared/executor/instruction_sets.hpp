// Which of the CPU's chunk kernels run: those of the widest instructions that the processor has, or
// of others on request.
#pragma once

#include "executor/kernels.hpp"
#include "heft/executor/executor.hpp"

#pragma GCC visibility push(default)
namespace heft::cpu {

/// The kernels of an instruction set; never null. Error if this processor does not have it.
Result<const LaneKernels*> lane_kernels(InstructionSet set);

}  // namespace heft::cpu
#pragma GCC visibility pop
