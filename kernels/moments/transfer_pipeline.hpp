// Samples pass through the device in transfers of bounded size: while one transfer is computed, the
// next is packed and uploaded, and the results of the previous one are downloaded. A log may
// therefore be larger than the memory of the device, and thousands of small jobs, each with its own
// robot, need one launch per transfer.
#pragma once

#include <algorithm>
#include <functional>

#include "device_tables.hpp"
#include "transfer_builder.hpp"

namespace heft::cuda {

/// Receives the result of a chunk with its last piece. Large results may come from several threads
/// concurrently, for different chunks.
using Deliver = std::function<void(const Piece& last, const double* result)>;

class TransferPipeline {
 public:
  /// A transfer has samples and results of `transfer_bytes` together, or up to four times as many
  /// if blocks would otherwise be idle, or one piece if that needs more; two are on the device at a
  /// time. `num_threads` threads copy numbers to and from pinned memory; one is slower than the
  /// bus, and few are sufficient. The device must outlive the pipeline.
  TransferPipeline(Device& device, std::int64_t transfer_bytes, int num_threads)
      : device_(device),
        transfer_bytes_(transfer_bytes),
        num_copiers_(std::min(num_threads, kMaxCopiers)) {}

  /// Works on all pieces; the parts of a chunk must come in their order. If the memory does not
  /// suffice, transfers become smaller, down to one piece; results are then delivered again, with
  /// the same bits. Memory is kept for the next run; after an error it is freed.
  Result<Done> run(std::span<const InputColumns> sources, std::span<const StreamJob> jobs,
                   std::vector<Piece> pieces, const Deliver& deliver);

  /// For the tables of the next run.
  TablesMemory& tables() { return tables_; }
  /// Frees all memory after an error, once it is no longer used.
  void give_back();

 private:
  /// Frees all memory but that of the tables.
  void give_transfers_back();
  static constexpr int kMaxCopiers = 16;

  struct Slot {
    TransferMemory memory;
    bool is_under_way = false;
  };

  Result<Done> run_transfers(std::span<const InputColumns> sources, std::span<const StreamJob> jobs,
                             std::span<const Piece> pieces, const Deliver& deliver);
  Result<Done> reserve(std::span<const StreamJob> jobs, std::span<const Piece> pieces);
  /// The largest number of blocks of any of the jobs' kernels.
  int blocks_side_by_side(std::span<const StreamJob> jobs) const;
  Result<Done> finish(int slot, const Deliver& deliver);

  Device& device_;
  std::int64_t transfer_bytes_;
  std::int64_t most_scratch_ = std::int64_t{1} << 30;  ///< bytes of all blocks
  int num_copiers_;
  Slot slots_[Device::kNumMarks];
  SharedMemory shared_;
  TablesMemory tables_;
};

}  // namespace heft::cuda
