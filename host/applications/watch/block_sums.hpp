// Sums of whitened residuals z and of the effect s of a unit of every signature on them,
//
//   A = sum s s'      b = sum s z
//
// over short blocks of time in a ring, and over everything with exponential forgetting. Each block
// border is a candidate for the onset of a change.
#pragma once

#include <vector>

namespace heft::watch {

/// Row i of a lower triangle that is packed row by row.
constexpr long long triangle(long long i) {
  return i * (i + 1) / 2;
}

class BlockSums {
 public:
  /// Allocates all memory. `fade`: factor on the sums after each block.
  BlockSums(int num_signatures, int num_blocks, double fade);

  /// Adds a measured value to the open block: z, and the effect of every signature on it.
  void add(double z, const double* signatures, int stride);
  /// Closes the open block. `time` [s]: that of the first step of the next.
  void close(double time);
  /// Excludes all closed blocks as onsets of a change.
  void forget_blocks() { num_closed_ = 0; }
  /// Removes the closed blocks that began at `time` [s] or later, and the open one, from all sums.
  void remove_since(double time);
  /// Restarts the open block.
  void clear_open(double time);
  /// Replaces the sums over everything by `products`, with the estimate `beta`.
  void restart(const std::vector<double>& products, const std::vector<double>& beta);

  int num_closed() const { return num_closed_; }
  int size() const { return size_; }
  double fade() const { return fade_; }

  /// Sums over everything, with forgetting: A packed, then b.
  const double* everything() const { return total_.data(); }

  /// Sums of a closed block, A packed and then b; age 1: the newest.
  const double* block(int age) const { return ring_.data() + slot(age) * stride(); }
  double begin(int age) const { return begins_[static_cast<std::size_t>(slot(age))]; }
  double squares(int age) const { return squares_[static_cast<std::size_t>(slot(age))]; }
  double count(int age) const { return counts_[static_cast<std::size_t>(slot(age))]; }
  long long stride() const { return triangle(size_) + size_; }

  template <class Archive>
  void visit(Archive& archive) {
    for (std::vector<double>* values : {&total_, &ring_, &begins_, &squares_, &counts_})
      archive(*values);
    archive(newest_), archive(num_closed_);
  }

 private:
  long long slot(int age) const { return (newest_ - age + num_slots_) % num_slots_; }
  double* open() { return ring_.data() + newest_ * stride(); }

  int size_, num_slots_;
  double fade_;
  std::vector<double> total_;             ///< of closed blocks: A, then b
  std::vector<double> ring_;              ///< blocks, each A, then b
  std::vector<double> begins_, squares_;  ///< [s]; sums of z z
  std::vector<double> counts_;            ///< of z
  std::vector<int> active_;               ///< of add()
  int newest_ = 0, num_closed_ = 0;       ///< slot of the open block
};

}  // namespace heft::watch
