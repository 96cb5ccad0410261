// Layout of the parts of scratch memory. Included once per instruction set and namespace.
#pragma once

#include <cstddef>
#include <cstdint>

namespace heft::cpu::HEFT_CPU_TARGET {

/// Divides scratch memory into parts aligned to cache lines; without memory, computes the required
/// size.
class ScratchLayout {
 public:
  explicit ScratchLayout(void* memory)
      : begin_(reinterpret_cast<std::uintptr_t>(memory)), at_(begin_) {}

  template <class Number>
  void take(Number*& part, std::int64_t count) {
    part = reinterpret_cast<Number*>(at_);
    at_ += (static_cast<std::size_t>(count) * sizeof *part + 63) / 64 * 64;
  }
  std::size_t num_bytes() const { return at_ - begin_; }

 private:
  std::uintptr_t begin_, at_;
};

}  // namespace heft::cpu::HEFT_CPU_TARGET
