// Cooperative threads: each has its stack, and a switch changes stacks.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

namespace heft::device_on_host {

/// Stacks that are kept from one block to the next, and switches between them and the thread that
/// runs them.
class Fibers {
 public:
  /// `count` fibers that will call entry(argument) when they are resumed first; it pauses for good
  /// when it is done.
  void start(std::size_t count, void (*entry)(void* argument), void* argument);

  /// Runs fiber `k` until it pauses. Not for fibers.
  void resume(std::size_t k);
  /// Of the fiber that runs: back to the thread that resumed it.
  void pause();

 private:
  struct Stack {
    Stack();
    Stack(const Stack&) = delete;
    Stack& operator=(const Stack&) = delete;
    ~Stack();
    std::byte* memory;
  };
  static constexpr std::size_t kStackBytes = std::size_t{1} << 20;

  std::vector<std::unique_ptr<Stack>> stacks_;
  std::vector<void*> places_;  ///< of every fiber, where it goes on
  void* caller_ = nullptr;
  std::size_t current_ = 0;
};

}  // namespace heft::device_on_host
