// A library that is opened when something asks for it: nothing else depends on its being there.
#pragma once

#include <dlfcn.h>

#include <utility>

namespace heft::cuda {

/// Closed at the end.
class SharedLibrary {
 public:
  explicit SharedLibrary(const char* name) : handle_(dlopen(name, RTLD_NOW | RTLD_LOCAL)) {}
  SharedLibrary(SharedLibrary&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  ~SharedLibrary() {
    if (handle_) dlclose(handle_);
  }
  bool is_open() const { return handle_ != nullptr; }

  /// A function of the library, null if it has none of this name.
  template <class Function>
  Function* find(const char* name) const {
    return reinterpret_cast<Function*>(dlsym(handle_, name));
  }

 private:
  void* handle_;
};

}  // namespace heft::cuda
