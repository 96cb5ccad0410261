// Runs kernels of a module without the CUDA runtime.
#pragma once

#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/device_on_host/block/device_memory.hpp"
#include "tests/device_on_host/block/findings.hpp"
#include "tests/device_on_host/block/launch.hpp"

namespace heft::device_on_host {

/// Memory of the device, freed at the end.
class DeviceArray {
 public:
  /// Of nothing that was written.
  explicit DeviceArray(std::size_t num_bytes)
      : begin_(device_memory().allocate(num_bytes, false)) {}
  template <class T>
  explicit DeviceArray(const std::vector<T>& values) : DeviceArray(values.size() * sizeof(T)) {
    std::memcpy(begin_, values.data(), values.size() * sizeof(T));
    DeviceMemory::mark_written(*device_memory().find(address()), address(),
                               values.size() * sizeof(T));
  }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;
  ~DeviceArray() { device_memory().release(begin_, false); }

  std::uint64_t address() const { return reinterpret_cast<std::uint64_t>(begin_); }
  template <class T>
  std::vector<T> read(std::size_t count) const {
    std::vector<T> values(count);
    std::memcpy(values.data(), begin_, count * sizeof(T));
    return values;
  }

 private:
  std::byte* begin_;
};

/// Runs kernel `name`, whose parameters are of 64 bits each. What run() of launch.hpp returns.
inline bool run_kernel(const Module& module, const std::string& name, Extent grid, Extent block,
                       const std::vector<std::uint64_t>& parameters,
                       const Circumstances& circumstances = {}, std::uint32_t dynamic_shared = 0) {
  for (const Kernel& kernel : module.kernels) {
    if (name != kernel.symbol) continue;
    Launch launch{&module, &kernel, grid, block, dynamic_shared, {}};
    for (const std::uint64_t parameter : parameters) {
      const auto* const bytes = reinterpret_cast<const std::byte*>(&parameter);
      launch.parameters.emplace_back(bytes, bytes + sizeof parameter);
    }
    return run(launch, circumstances);
  }
  throw std::invalid_argument("no kernel " + name);
}

}  // namespace heft::device_on_host
