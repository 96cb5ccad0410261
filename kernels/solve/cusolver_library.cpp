#include "cusolver_library.hpp"

#include <string>
#include <utility>

#include "../shared_library.hpp"

#if __has_include(<cusolverDn.h>)
#include <cusolverDn.h>

namespace heft::cuda {

namespace {

/// The functions by the names that the header gives them.
struct Functions {
  decltype(cusolverDnCreate)* create;
  decltype(cusolverDnDestroy)* destroy;
  decltype(cusolverDnSetStream)* set_stream;
  decltype(cusolverDnDpotrfBatched)* potrf;
  decltype(cusolverDnDpotrsBatched)* potrs;

  bool are_found() const { return create && destroy && set_stream && potrf && potrs; }
};

Result<Done> check(cusolverStatus_t status, const char* what) {
  if (status == CUSOLVER_STATUS_SUCCESS) return Done{};
  return Error{"cuSOLVER", std::string(what) + ": status " + std::to_string(static_cast<int>(status)),
               "take smaller batches at a time, or the CPU"};
}

class OpenedLibrary : public CusolverLibrary {
 public:
  OpenedLibrary(SharedLibrary library, const Functions& functions)
      : library_(std::move(library)), functions_(functions) {}
  ~OpenedLibrary() override {
    if (handle_) functions_.destroy(handle_);
  }

  Result<Done> start(cudaStream_t stream) {
    HEFT_CHECK(check(functions_.create(&handle_), "create"));
    return check(functions_.set_stream(handle_, stream), "stream");
  }

  Result<Done> factor(const CholeskyBatch& batch) override {
    return check(functions_.potrf(handle_, CUBLAS_FILL_MODE_LOWER, batch.size, batch.d_matrices, batch.size,
                                  batch.d_info, batch.count),
                 "dpotrfBatched");
  }
  Result<Done> solve(const CholeskyBatch& batch) override {
    constexpr int kOneVector = 1;
    return check(functions_.potrs(handle_, CUBLAS_FILL_MODE_LOWER, batch.size, kOneVector, batch.d_matrices,
                                  batch.size, batch.d_vectors, batch.size, batch.d_info, batch.count),
                 "dpotrsBatched");
  }

 private:
  SharedLibrary library_;
  Functions functions_;
  cusolverDnHandle_t handle_ = nullptr;
};

}  // namespace

Result<std::unique_ptr<CusolverLibrary>> CusolverLibrary::open(cudaStream_t stream) {
  const std::string name = "libcusolver.so." + std::to_string(CUSOLVER_VER_MAJOR);
  constexpr char kRemedy[] = "put cuSOLVER of the version that Heft was built with on LD_LIBRARY_PATH";
  SharedLibrary library(name.c_str());
  if (!library.is_open()) return Error{"cuSOLVER", name + " is not found", kRemedy};
  const Functions functions{library.find<decltype(cusolverDnCreate)>("cusolverDnCreate"),
                            library.find<decltype(cusolverDnDestroy)>("cusolverDnDestroy"),
                            library.find<decltype(cusolverDnSetStream)>("cusolverDnSetStream"),
                            library.find<decltype(cusolverDnDpotrfBatched)>("cusolverDnDpotrfBatched"),
                            library.find<decltype(cusolverDnDpotrsBatched)>("cusolverDnDpotrsBatched")};
  if (!functions.are_found())
    return Error{"cuSOLVER", name + " lacks functions that it should have", kRemedy};
  auto opened = std::make_unique<OpenedLibrary>(std::move(library), functions);
  HEFT_CHECK(opened->start(stream));
  return std::unique_ptr<CusolverLibrary>(std::move(opened));
}

}  // namespace heft::cuda

#else

namespace heft::cuda {

Result<std::unique_ptr<CusolverLibrary>> CusolverLibrary::open(cudaStream_t) {
  return Error{"cuSOLVER", "its headers were not found when Heft was built", "build with the whole toolkit"};
}

}  // namespace heft::cuda

#endif
