// A CUDA library that is loaded on first use, so that programs also run without it.
#pragma once

#include <cuda_runtime.h>
#include <dlfcn.h>

#include <string>
#include <utility>

#include "heft/base/result.hpp"

namespace heft::cuda {

/// The opened file of a library; closed by the destructor.
class SharedLibrary {
 public:
  explicit SharedLibrary(const std::string& name)
      : handle_(dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL)) {}
  SharedLibrary(SharedLibrary&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  ~SharedLibrary() {
    if (handle_) dlclose(handle_);
  }
  bool is_open() const { return handle_ != nullptr; }

  /// Looks up a function by its name in the library's header; null if the library does not have it.
  template <class Function>
  void find(const char* name, Function*& function) const {
    function = reinterpret_cast<Function*>(dlsym(handle_, name));
  }

 private:
  void* handle_;
};

/// A library with its handle, whose work goes to one stream. `Functions` are those of the library
/// that are called: pointers `create`, `destroy` and `set_stream` of a Handle, and others;
/// find_in(library), which looks them up and is false if one is missing; file(), the library's name
/// with the version of the headers; kName, kIfMissing and kIfItFails, its name and the remedies in
/// Errors. Every function returns a status, zero for success and kOutOfMemory if the device lacks
/// memory.
template <class Functions>
class OpenedLibrary {
 public:
  using Handle = typename Functions::Handle;

  /// `stream` must outlive it. Error if the library is not found or lacks a function.
  static Result<OpenedLibrary> open(cudaStream_t stream) {
    OpenedLibrary opened{SharedLibrary(Functions::file())};
    if (!opened.library_.is_open())
      return Error{Functions::kName, Functions::file() + " was not found", Functions::kIfMissing};
    if (!opened.functions_.find_in(opened.library_))
      return Error{Functions::kName, Functions::file() + " lacks required functions",
                   Functions::kIfMissing};
    HEFT_CHECK(check(opened.functions_.create(&opened.handle_), "create"));
    HEFT_CHECK(check(opened.functions_.set_stream(opened.handle_, stream), "stream"));
    return opened;
  }

  OpenedLibrary(OpenedLibrary&& other) noexcept
      : library_(std::move(other.library_)),
        functions_(other.functions_),
        handle_(std::exchange(other.handle_, nullptr)) {}
  ~OpenedLibrary() {
    if (handle_) functions_.destroy(handle_);
  }

  /// Calls one of the functions with the handle before the arguments; `what` describes the attempt
  /// in an Error.
  template <class Function, class... Arguments>
  Result<Done> call(Function* Functions::* function, const char* what,
                    Arguments... arguments) const {
    return check((functions_.*function)(handle_, arguments...), what);
  }

 private:
  explicit OpenedLibrary(SharedLibrary library) : library_(std::move(library)) {}

  template <class Status>
  static Result<Done> check(Status status, const char* what) {
    if (status == Status{}) return Done{};
    if (status == Functions::kOutOfMemory)
      return Error{Functions::kName, std::string(what) + ": out of memory", Functions::kIfItFails};
    return Error{Functions::kName,
                 std::string(what) + ": status " + std::to_string(static_cast<int>(status)),
                 Functions::kIfItFails};
  }

  SharedLibrary library_;
  Functions functions_{};
  Handle handle_ = nullptr;
};

}  // namespace heft::cuda
