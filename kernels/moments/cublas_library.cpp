#include "cublas_library.hpp"

#include <string>
#include <utility>

#include "../shared_library.hpp"

#if __has_include(<cublas_v2.h>)
#include <cublas_v2.h>

namespace heft::cuda {

namespace {

/// The functions by the names that the header gives them.
struct Functions {
  decltype(cublasCreate_v2)* create;
  decltype(cublasDestroy_v2)* destroy;
  decltype(cublasSetStream_v2)* set_stream;
  decltype(cublasDsyrk_v2)* syrk;
};

Result<Done> check(cublasStatus_t status, const char* what) {
  if (status == CUBLAS_STATUS_SUCCESS) return Done{};
  return Error{"cuBLAS", std::string(what) + ": status " + std::to_string(static_cast<int>(status)), ""};
}

class OpenedLibrary : public CublasLibrary {
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

  /// To cuBLAS, which counts columns first, an upper triangle by rows is a lower one.
  Result<Done> multiply(const double* rows, std::int64_t stride, std::int64_t count, int width,
                        double* square) override {
    const double one = 1, zero = 0;
    return check(functions_.syrk(handle_, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_T, width, static_cast<int>(count),
                                 &one, rows, static_cast<int>(stride), &zero, square, width),
                 "dsyrk");
  }

 private:
  SharedLibrary library_;
  Functions functions_;
  cublasHandle_t handle_ = nullptr;
};

}  // namespace

Result<std::unique_ptr<CublasLibrary>> CublasLibrary::open(cudaStream_t stream) {
  const std::string name = "libcublas.so." + std::to_string(CUBLAS_VER_MAJOR);
  SharedLibrary library(name.c_str());
  if (!library.is_open())
    return Error{"cuBLAS", name + " is not found",
                 "put its folder on LD_LIBRARY_PATH, or take the fused form"};
  const Functions functions{library.find<decltype(cublasCreate_v2)>("cublasCreate_v2"),
                            library.find<decltype(cublasDestroy_v2)>("cublasDestroy_v2"),
                            library.find<decltype(cublasSetStream_v2)>("cublasSetStream_v2"),
                            library.find<decltype(cublasDsyrk_v2)>("cublasDsyrk_v2")};
  if (!functions.create || !functions.destroy || !functions.set_stream || !functions.syrk)
    return Error{"cuBLAS", name + " lacks functions that it should have", "take the fused form"};
  auto opened = std::make_unique<OpenedLibrary>(std::move(library), functions);
  HEFT_CHECK(opened->start(stream));
  return std::unique_ptr<CublasLibrary>(std::move(opened));
}

}  // namespace heft::cuda

#else

namespace heft::cuda {

Result<std::unique_ptr<CublasLibrary>> CublasLibrary::open(cudaStream_t) {
  return Error{"cuBLAS", "its headers were not found when Heft was built", "take the fused form"};
}

}  // namespace heft::cuda

#endif
