// Tables of a batch that stay on the device while it runs (plans, tile maps, coefficients), in one
// piece: a thousand robots cost one copy.
#pragma once

#include <cstring>
#include <functional>
#include <vector>

#include "device.hpp"

namespace heft::cuda {

/// Memory of the tables, kept between calls: page-locking memory takes longer than a short log.
struct TablesMemory {
  KeptMemory pinned{KeptMemory::Place::pinned}, on_device{KeptMemory::Place::device};
};

class DeviceTables {
 public:
  /// After upload(), `place` is the position of the table on the device. The table must not move
  /// until then.
  template <class T>
  void add(const T* values, std::size_t count, const T*& place) {
    const std::size_t begin = (bytes_.size() + kAlignment - 1) / kAlignment * kAlignment;
    bytes_.resize(begin + count * sizeof(T));
    if (count > 0) std::memcpy(bytes_.data() + begin, values, count * sizeof(T));
    set_places_.push_back(
        [&place, begin](std::byte* device) { place = reinterpret_cast<const T*>(device + begin); });
  }
  template <class T>
  void add(const std::vector<T>& values, const T*& place) {
    add(values.data(), values.size(), place);
  }

  /// Launches requested from now on wait for it. Until they are done, nothing else may use the
  /// memory.
  Result<Done> upload(Device& device, TablesMemory& memory) {
    const std::size_t size = bytes_.empty() ? 1 : bytes_.size();
    HEFT_CHECK(memory.on_device.reserve(device, size));
    HEFT_CHECK(memory.pinned.reserve(device, size));
    if (!bytes_.empty()) std::memcpy(memory.pinned.data(), bytes_.data(), bytes_.size());
    HEFT_CHECK(device.upload(memory.on_device.data(), memory.pinned.data(), size));
    for (const auto& set_place : set_places_) set_place(memory.on_device.data());
    return Done{};
  }

 private:
  static constexpr std::size_t kAlignment = 16;

  std::vector<std::byte> bytes_;
  std::vector<std::function<void(std::byte*)>> set_places_;
};

}  // namespace heft::cuda
