// A block of threads on the host, for kernels written as in kernels/solve/phases.hpp. Its threads
// take turns from barrier to barrier, in ascending or descending order: results that depend on the
// order of threads between two barriers, a race on the device, differ here every time.
#pragma once

#include <memory>
#include <semaphore>
#include <thread>
#include <vector>

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
      ++emulated_->seats_[rank_]->num_barriers;
      emulated_->pass_on(rank_);
      emulated_->seats_[rank_]->turn.acquire();
    }

   private:
    EmulatedBlock* emulated_;
    int rank_;
  };

  /// Runs program(block) on every thread. False if they did not all come to the same number of
  /// barriers, which on a device would hang or worse.
  template <class Program>
  bool run(const Program& program) {
    const int first = order_ == Order::ascending ? 0 : static_cast<int>(seats_.size()) - 1;
    {
      std::vector<std::jthread> threads;
      for (int rank = 0; rank < static_cast<int>(seats_.size()); ++rank)
        threads.emplace_back([this, rank, &program] {
          Seat& seat = *seats_[rank];
          seat.turn.acquire();
          program(Thread(this, rank));
          seat.has_ended = true;
          pass_on(rank);
        });
      seats_[first]->turn.release();
    }
    for (const auto& seat : seats_)
      if (seat->num_barriers != seats_[0]->num_barriers) return false;
    return true;
  }

 private:
  struct Seat {
    std::binary_semaphore turn{0};
    bool has_ended = false;  // read and written by the thread whose turn it is
    long num_barriers = 0;
  };

  void pass_on(int rank) {
    const int size = static_cast<int>(seats_.size()),
              step = order_ == Order::ascending ? 1 : size - 1;
    for (int k = 1; k <= size; ++k) {
      Seat& next = *seats_[(rank + k * step) % size];
      if (next.has_ended) continue;
      next.turn.release();
      return;
    }
  }

  Order order_;
  std::vector<std::unique_ptr<Seat>> seats_;
};

}  // namespace heft::testing
