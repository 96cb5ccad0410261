// Converts state to bytes and back: the members that `visit` of a class names, in its order.
#pragma once

#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace heft::watch {

class SnapshotWriter {
 public:
  explicit SnapshotWriter(std::string& bytes) : bytes_(bytes) {}

  template <class Number>
  requires std::is_arithmetic_v<Number>
  void operator()(const Number& number) {
    bytes_.append(reinterpret_cast<const char*>(&number), sizeof number);
  }
  template <class Number>
  void operator()(const std::vector<Number>& numbers) {
    (*this)(static_cast<long long>(numbers.size()));
    bytes_.append(reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(Number));
  }

 private:
  std::string& bytes_;
};

/// Fills members that already have their sizes; is_sound() is false once the bytes do not fit.
class SnapshotReader {
 public:
  explicit SnapshotReader(std::string_view bytes) : bytes_(bytes) {}

  template <class Number>
  requires std::is_arithmetic_v<Number>
  void operator()(Number& number) { take(&number, sizeof number); }
  template <class Number>
  void operator()(std::vector<Number>& numbers) {
    long long size = 0;
    (*this)(size);
    if (size != static_cast<long long>(numbers.size())) is_sound_ = false;
    take(numbers.data(), numbers.size() * sizeof(Number));
  }

  bool is_sound() const { return is_sound_; }
  bool is_at_end() const { return bytes_.empty(); }

 private:
  void take(void* target, std::size_t size) {
    if (!is_sound_ || bytes_.size() < size) {
      is_sound_ = false;
      return;
    }
    if (size > 0) std::memcpy(target, bytes_.data(), size);
    bytes_.remove_prefix(size);
  }

  std::string_view bytes_;
  bool is_sound_ = true;
};

}  // namespace heft::watch
