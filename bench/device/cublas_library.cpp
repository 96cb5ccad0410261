#include "cublas_library.hpp"

#include <string>
#include <utility>

#include "kernels/opened_library.hpp"

#if __has_include(<cublas_v2.h>)
#include <cublas_v2.h>

namespace heft::cuda {

namespace {

struct Functions {
  using Handle = cublasHandle_t;
  static constexpr char kName[] = "cuBLAS";
  static constexpr char kIfMissing[] = "put its folder on LD_LIBRARY_PATH, or take the fused form";
  static constexpr char kIfItFails[] = "take the fused form";
  static constexpr cublasStatus_t kOutOfMemory = CUBLAS_STATUS_ALLOC_FAILED;
  static std::string file() { return "libcublas.so." + std::to_string(CUBLAS_VER_MAJOR); }

  decltype(cublasCreate_v2)* create;
  decltype(cublasDestroy_v2)* destroy;
  decltype(cublasSetStream_v2)* set_stream;
  decltype(cublasDsyrk_v2)* syrk;

  bool find_in(const SharedLibrary& library) {
    library.find("cublasCreate_v2", create);
    library.find("cublasDestroy_v2", destroy);
    library.find("cublasSetStream_v2", set_stream);
    library.find("cublasDsyrk_v2", syrk);
    return create && destroy && set_stream && syrk;
  }
};

class Opened : public CublasLibrary {
 public:
  explicit Opened(OpenedLibrary<Functions> library) : library_(std::move(library)) {}

  /// To cuBLAS, which counts columns first, an upper triangle by rows is a lower one.
  Result<Done> multiply(const double* rows, std::int64_t count, int width, bool is_added,
                        double* square) override {
    const double one = 1, before = is_added ? 1 : 0;
    const int length = static_cast<int>(count);
    return library_.call(&Functions::syrk, "dsyrk", CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_T, width,
                         length, &one, rows, length, &before, square, width);
  }

 private:
  OpenedLibrary<Functions> library_;
};

}  // namespace

Result<std::unique_ptr<CublasLibrary>> CublasLibrary::open(cudaStream_t stream) {
  HEFT_TRY(library, OpenedLibrary<Functions>::open(stream));
  return std::unique_ptr<CublasLibrary>(std::make_unique<Opened>(std::move(library)));
}

}  // namespace heft::cuda

#else

namespace heft::cuda {

Result<std::unique_ptr<CublasLibrary>> CublasLibrary::open(cudaStream_t) {
  return Error{"cuBLAS", "its headers were not found when Heft was built", "take the fused form"};
}

}  // namespace heft::cuda

#endif
