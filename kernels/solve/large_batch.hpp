// Batches of problems whose factors a block's memory does not hold: kernels of large_semismooth.cu
// and a library's batched Cholesky in turns. Problems that are done leave the batch, so that every
// call has the unfinished ones alone.
//
// Who is left is decided here, on the host: it has to wait for a step's end anyway, to know whether
// another one follows; one number a problem comes down and five go up, and no scan on the device
// would save the wait.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "cusolver_library.hpp"
#include "large_semismooth.cuh"
#include "memory.cuh"
#include "solve/plain_problem.hpp"

namespace heft::cuda {

class LargeBatch {
 public:
  /// Bytes on the device for so many problems.
  static std::size_t bytes_a_problem(const ProblemShape& shape);

  /// Whether the library is there; opens it.
  bool is_available();

  /// One wave of problems, of which the device holds all.
  Result<Done> solve(const ProblemShape& shape, std::span<const solver::PlainProblem> problems,
                     const solver::PlainOptions& options, int num_threads,
                     std::span<solver::PlainAnswer> answers);

  /// After an error: lets what is under way end, and gives the memory back.
  void abandon();

 private:
  Result<Done> open();
  Result<Done> reserve(const ProblemShape& shape, std::size_t count);
  void point_at(const ProblemShape& shape, const std::vector<int>& members);

  Stream stream_;                             // goes last
  std::unique_ptr<CusolverLibrary> library_;  // before its stream
  bool is_tried_ = false;
  TwinArray<double> problems_, answers_, workspaces_, matrices_, factors_;  // factors: of Q
  TwinArray<int> members_, is_done_, info_;
  TwinArray<double*> pointers_;  // to matrices, to dy, to factors, to gradients: one each a problem
                                 // that is left
};

}  // namespace heft::cuda
