#include "tests/device_on_host/block/fiber.hpp"

#include <sys/mman.h>

#include <cstdlib>
#include <new>

#ifndef __x86_64__
#error "the switch of stacks is written for x86-64"
#endif

namespace heft::device_on_host {

extern "C" {
/// What the System V ABI lets a function not change goes onto the old stack and comes from the new
/// one.
void heft_switch_stacks(void** save, void* load);
/// Where a new stack begins: calls the function in r12 with the argument in rbx.
void heft_begin_stack();
}
asm(R"(
.text
.globl heft_switch_stacks
.type heft_switch_stacks, @function
heft_switch_stacks:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size heft_switch_stacks, .-heft_switch_stacks
.globl heft_begin_stack
.type heft_begin_stack, @function
heft_begin_stack:
  movq %rbx, %rdi
  call *%r12
  ud2
.size heft_begin_stack, .-heft_begin_stack
)");

Fibers::Stack::Stack() {
  void* const mapped = mmap(nullptr, kStackBytes, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED) throw std::bad_alloc();
  memory = static_cast<std::byte*>(mapped);
}

Fibers::Stack::~Stack() {
  munmap(memory, kStackBytes);
}

void Fibers::start(std::size_t count, void (*entry)(void*), void* argument) {
  while (stacks_.size() < count) stacks_.push_back(std::make_unique<Stack>());
  places_.resize(count);
  for (std::size_t k = 0; k < count; ++k) {
    // 16 bytes aligned where heft_begin_stack begins; below it what the switch pops: r15, r14, r13,
    // r12, rbx, rbp
    void** const top = reinterpret_cast<void**>(stacks_[k]->memory + kStackBytes - 64);
    top[-1] = reinterpret_cast<void*>(&heft_begin_stack);
    top[-2] = nullptr;
    top[-3] = argument;
    top[-4] = reinterpret_cast<void*>(entry);
    top[-5] = top[-6] = top[-7] = nullptr;
    places_[k] = top - 7;
  }
}

void Fibers::resume(std::size_t k) {
  current_ = k;
  heft_switch_stacks(&caller_, places_[k]);
}

void Fibers::pause() {
  heft_switch_stacks(&places_[current_], caller_);
}

}  // namespace heft::device_on_host
