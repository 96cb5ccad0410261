// A block of threads on the host, for kernels written as in kernels/solve/phases.hpp. Its threads
// take turns from barrier to barrier, in ascending or descending order: results that depend on the
// order of threads between two barriers, a race on the device, differ here every time. The threads
// are stacks that one thread of the system runs in turn: to hand over costs a microsecond, however
// busy the machine is.
#pragma once

#include <ucontext.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#ifdef __SANITIZE_THREAD__
#include <sanitizer/tsan_interface.h>
#endif

namespace heft::testing {

/// A block of one thread.
struct OneThread {
  int size() const { return 1; }
  template <class Work>
  void together(const Work& work) const {
    work(0);
  }
};

class EmulatedBlock {
 public:
  enum class Order { ascending, descending };

  EmulatedBlock(int num_threads, Order order) : order_(order) {
    for (int t = 0; t < num_threads; ++t) seats_.push_back(std::make_unique<Seat>());
  }

  /// The block as one of its threads sees it.
  class Thread {
   public:
    Thread(EmulatedBlock* emulated, int rank) : emulated_(emulated), rank_(rank) {}
    int size() const { return static_cast<int>(emulated_->seats_.size()); }
    template <class Work>
    void together(const Work& work) const {
      work(rank_);
      Seat& seat = *emulated_->seats_[rank_];
      ++seat.num_barriers;
      emulated_->switch_to(seat.place, emulated_->caller_);
    }

   private:
    EmulatedBlock* emulated_;
    int rank_;
  };

  /// Runs program(block) on every thread. False if they did not all come to the same number of
  /// barriers, which on a device would hang or worse.
  template <class Program>
  bool run(const Program& program) {
    const int size = static_cast<int>(seats_.size());
    for (int rank = 0; rank < size; ++rank)
      seats_[rank]->prepare([this, rank, &program] {
        program(Thread(this, rank));
        seats_[rank]->has_ended = true;
        switch_to(seats_[rank]->place, caller_);
      });
    caller_.keep_fiber();
    for (int num_ended = 0; num_ended < size;) {
      num_ended = 0;
      for (int k = 0; k < size; ++k) {
        Seat& seat = *seats_[order_ == Order::ascending ? k : size - 1 - k];
        if (!seat.has_ended) switch_to(caller_, seat.place);
        num_ended += seat.has_ended;
      }
    }
    for (const auto& seat : seats_)
      if (seat->num_barriers != seats_[0]->num_barriers) return false;
    return true;
  }

 private:
  /// Where a stack goes on; the thread sanitizer has to be told that it changes.
  struct Place {
    ucontext_t context;
#ifdef __SANITIZE_THREAD__
    void* fiber = nullptr;
    void keep_fiber() {
      fiber = __tsan_get_current_fiber();
    }
#else
    void keep_fiber() {}
#endif
  };

  struct Seat {
    static constexpr std::size_t kStackBytes = std::size_t{1} << 20;

    void prepare(std::function<void()> program) {
      work = std::move(program);
      has_ended = false;
      num_barriers = 0;
      getcontext(&place.context);
      place.context.uc_stack.ss_sp = stack.get();
      place.context.uc_stack.ss_size = kStackBytes;
      place.context.uc_link = nullptr;  // it never returns
      const auto address = reinterpret_cast<std::uintptr_t>(this);
      makecontext(&place.context, reinterpret_cast<void (*)()>(&begin), 2,
                  static_cast<unsigned>(address >> 32), static_cast<unsigned>(address));
#ifdef __SANITIZE_THREAD__
      if (place.fiber == nullptr) place.fiber = __tsan_create_fiber(0);
#endif
    }

#ifdef __SANITIZE_THREAD__
    ~Seat() {
      if (place.fiber != nullptr) __tsan_destroy_fiber(place.fiber);
    }
#endif

    // makecontext takes a function of ints
    static void begin(unsigned high, unsigned low) {
      reinterpret_cast<Seat*>((std::uintptr_t{high} << 32) | low)->work();
    }

    Place place;
    std::unique_ptr<std::byte[]> stack{new std::byte[kStackBytes]};  // not set: no page is touched
    std::function<void()> work;
    bool has_ended = false;
    long num_barriers = 0;
  };

  static void switch_to(Place& from, Place& to) {
#ifdef __SANITIZE_THREAD__
    __tsan_switch_to_fiber(to.fiber, 0);
#endif
    swapcontext(&from.context, &to.context);
  }

  Order order_;
  std::vector<std::unique_ptr<Seat>> seats_;
  Place caller_;
};

}  // namespace heft::testing
