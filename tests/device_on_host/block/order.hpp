// The order of accesses by a block's threads. Stamps only increase. A barrier of the whole block
// orders everything before it before everything after it; for other barriers each thread has a row
// with the last stamp that it knows of every other thread.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace heft::device_on_host {

/// By thread, the stamp up to which its accesses are known.
using Knowledge = std::vector<std::uint32_t>;

/// The stamp that counts on through all blocks and launches of the process.
std::uint32_t& last_stamp();

class Order {
 public:
  /// A block of `num_threads` begins.
  void begin(std::uint32_t num_threads) {
    stamps_.assign(num_threads, ++last_stamp());
    first_ = floor_ = last_stamp();
    rows_.clear();
  }

  /// Of the accesses that `thread` does now.
  std::uint32_t stamp(std::uint32_t thread) const { return stamps_[thread]; }
  /// The first of this block.
  std::uint32_t first() const { return first_; }
  /// Whether only barriers of the whole block happened so far.
  bool is_simple() const { return rows_.empty(); }
  /// Accesses before this stamp are before whatever happens now.
  std::uint32_t floor() const { return floor_; }

  /// Whether what `other` did with `stamp` is before what `thread` does now.
  bool is_before(std::uint32_t stamp, std::uint32_t other, std::uint32_t thread) const {
    return stamp < floor_ || other == thread || (!rows_.empty() && rows_[thread][other] >= stamp);
  }

  void join_all() {
    std::fill(stamps_.begin(), stamps_.end(), ++last_stamp());
    floor_ = last_stamp();
    rows_.clear();
  }

  /// `thread` leaves word of what it knows and did.
  void leave(std::uint32_t thread, Knowledge& brought) {
    prepare();
    brought.resize(stamps_.size(), 0);
    for (std::size_t k = 0; k < brought.size(); ++k)
      brought[k] = std::max(brought[k], rows_[thread][k]);
    brought[thread] = stamps_[thread];
    stamps_[thread] = ++last_stamp();
  }
  void take(std::uint32_t thread, const Knowledge& brought) {
    prepare();
    for (std::size_t k = 0; k < brought.size(); ++k)
      rows_[thread][k] = std::max(rows_[thread][k], brought[k]);
  }

 private:
  void prepare() {
    if (rows_.empty()) rows_.assign(stamps_.size(), Knowledge(stamps_.size(), 0));
  }

  std::vector<std::uint32_t> stamps_;
  std::vector<Knowledge> rows_;
  std::uint32_t first_ = 0, floor_ = 0;
};

}  // namespace heft::device_on_host
