// The solver's batched kernels compared with cuSOLVER's, for bench/solver: times and errors on a
// device. No CUDA header. Built from peers.cu with the CUDA toolkit, from peers_stub.cpp without.
#pragma once

#include <string>
#include <vector>

#include "heft/base/result.hpp"

namespace heft {

struct PeerTime {
  std::string name;
  double microseconds;  ///< of the whole batch on the device, median of several runs, transfers
                        ///< apart
  double error;         ///< worst of the batch: |what the factors multiply to - A| / |A|
};

/// Eigenvalues and eigenvectors of `count` random symmetric 4x4 matrices. Errors of the device.
Result<std::vector<PeerTime>> time_eigendecompositions(int count);

/// Cholesky factors of `count` random positive definite matrices; `size` is a multiple of four.
/// Errors of the device.
Result<std::vector<PeerTime>> time_factorizations(int size, int count);

}  // namespace heft
