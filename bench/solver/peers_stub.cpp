#include "bench/solver/peers.hpp"

namespace heft {

namespace {

Error not_compiled() {
  return {"device benchmark", "not compiled into this build",
          "build where nvcc is found, with -DHEFT_CUDA=ON"};
}

}  // namespace

Result<std::vector<PeerTime>> time_eigendecompositions(int) {
  return not_compiled();
}

Result<std::vector<PeerTime>> time_factorizations(int, int) {
  return not_compiled();
}

}  // namespace heft
