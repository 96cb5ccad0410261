// Copies plain problems to the memory that is sent to the device, and solutions from the memory
// that is received. Host code without CUDA, in every build.
#pragma once

#include "layout.hpp"
#include "solve/plain_problem.hpp"

namespace heft::cuda {

ProblemShape problem_shape(const solver::PlainShape& shape);

/// Writes all PackedProblem::size_for(shape) doubles at `memory`.
void pack(const solver::PlainProblem& problem, const ProblemShape& shape, double* memory);

/// Reads PackedAnswer::size_for(shape) doubles; y and lambda are written if the problem was solved.
void unpack(double* memory, const ProblemShape& shape, solver::PlainAnswer& answer);

}  // namespace heft::cuda
