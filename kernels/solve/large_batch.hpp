// Batches of problems whose factors do not fit in a block's memory: kernels of large_semismooth.cu
// alternate with a library's batched Cholesky factorization. Solved problems leave the batch, so
// every call processes only unfinished ones.
//
// The host decides which problems remain. It has to wait for the end of a step anyway, to know
// whether another one follows; one number per problem is downloaded and five are uploaded, so a
// scan on the device would not save the wait.
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
  /// Returns the bytes on the device for a number of problems.
  static std::size_t bytes_a_problem(const ProblemShape& shape);

  /// Opens the library; returns whether it is available.
  bool is_available();

  /// One wave of problems, all in device memory.
  Result<Done> solve(const ProblemShape& shape, std::span<const solver::PlainProblem> problems,
                     const solver::PlainOptions& options, int num_threads,
                     std::span<solver::PlainAnswer> answers);

  /// After an error, waits for work in progress and frees the memory.
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
