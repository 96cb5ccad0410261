#include "cusolver_library.hpp"

#include <string>
#include <utility>

#include "../opened_library.hpp"
#include "kernels/device_errors.hpp"

#if __has_include(<cusolverDn.h>)
#include <cusolverDn.h>

namespace heft::cuda {

namespace {

struct Functions {
  using Handle = cusolverDnHandle_t;
  static constexpr const char* kName = kCusolver;
  static constexpr char kIfMissing[] =
      "put the cuSOLVER version that Heft was built with on LD_LIBRARY_PATH";
  static constexpr char kIfItFails[] = "use smaller batches, or the CPU";
  static constexpr cusolverStatus_t kOutOfMemory = CUSOLVER_STATUS_ALLOC_FAILED;
  static std::string file() { return "libcusolver.so." + std::to_string(CUSOLVER_VER_MAJOR); }

  decltype(cusolverDnCreate)* create;
  decltype(cusolverDnDestroy)* destroy;
  decltype(cusolverDnSetStream)* set_stream;
  decltype(cusolverDnDpotrfBatched)* potrf;
  decltype(cusolverDnDpotrsBatched)* potrs;

  bool find_in(const SharedLibrary& library) {
    library.find("cusolverDnCreate", create);
    library.find("cusolverDnDestroy", destroy);
    library.find("cusolverDnSetStream", set_stream);
    library.find("cusolverDnDpotrfBatched", potrf);
    library.find("cusolverDnDpotrsBatched", potrs);
    return create && destroy && set_stream && potrf && potrs;
  }
};

class Opened : public CusolverLibrary {
 public:
  explicit Opened(OpenedLibrary<Functions> library) : library_(std::move(library)) {}

  Result<Done> factor(const CholeskyBatch& batch) override {
    return library_.call(&Functions::potrf, "dpotrfBatched", CUBLAS_FILL_MODE_LOWER, batch.size,
                         batch.d_matrices, batch.size, batch.d_info, batch.count);
  }
  Result<Done> solve(const CholeskyBatch& batch) override {
    constexpr int kOneVector = 1;
    return library_.call(&Functions::potrs, "dpotrsBatched", CUBLAS_FILL_MODE_LOWER, batch.size,
                         kOneVector, batch.d_matrices, batch.size, batch.d_vectors, batch.size,
                         batch.d_info, batch.count);
  }

 private:
  OpenedLibrary<Functions> library_;
};

}  // namespace

Result<std::unique_ptr<CusolverLibrary>> CusolverLibrary::open(cudaStream_t stream) {
  HEFT_TRY(library, OpenedLibrary<Functions>::open(stream));
  return std::unique_ptr<CusolverLibrary>(std::make_unique<Opened>(std::move(library)));
}

}  // namespace heft::cuda

#else

namespace heft::cuda {

Result<std::unique_ptr<CusolverLibrary>> CusolverLibrary::open(cudaStream_t) {
  return Error{"cuSOLVER", "its headers were not found when Heft was built",
               "build with the complete toolkit"};
}

}  // namespace heft::cuda

#endif
