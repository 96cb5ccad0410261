// Tables of different types in one piece of memory, built on the host with the addresses that they
// will have on the device.
#pragma once

#include <cstddef>
#include <cstring>
#include <functional>
#include <vector>

namespace heft::cuda {

class TableMemory {
 public:
  /// After place(), `table` points to the copy of the values.
  template <class T>
  void add(const T* values, std::size_t count, const T*& table) {
    const std::size_t begin = (bytes_.size() + kAlignment - 1) / kAlignment * kAlignment;
    bytes_.resize(begin + count * sizeof(T));
    if (count > 0) std::memcpy(bytes_.data() + begin, values, count * sizeof(T));
    places_.push_back([&table, begin](const std::byte* device) {
      table = reinterpret_cast<const T*>(device + begin);
    });
  }
  template <class T>
  void add(const std::vector<T>& values, const T*& table) {
    add(values.data(), values.size(), table);
  }

  const std::vector<std::byte>& bytes() const { return bytes_; }
  /// Sets all pointers to tables for memory that begins at `device`.
  void place(const std::byte* device) const {
    for (const auto& set : places_) set(device);
  }

 private:
  static constexpr std::size_t kAlignment = 16;

  std::vector<std::byte> bytes_;
  std::vector<std::function<void(const std::byte*)>> places_;
};

}  // namespace heft::cuda
