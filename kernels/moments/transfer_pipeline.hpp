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

/// Takes the result of a chunk, with its last piece. Large results come from several threads at a
/// time, each of another chunk.
using Deliver = std::function<void(const Piece& last, const double* result)>;

class TransferPipeline {
 public:
  /// A transfer is samples and results of `transfer_bytes` together, or up to four times as many
  /// where blocks would be idle otherwise, or one piece if that needs more; two are on the device
  /// at a time. `num_threads`, of which few are of use, bring numbers to and from pinned memory:
  /// one is slower than the bus to the device, which must outlive the pipeline.
  TransferPipeline(Device& device, std::int64_t transfer_bytes, int num_threads)
      : device_(device),
        transfer_bytes_(transfer_bytes),
        num_copiers_(std::min(num_threads, kMaxCopiers)) {}

  /// Works on all pieces; the parts of a chunk must come in their order. Memory is kept for the
  /// next run; after an error, which may be that there is not enough, it is given back.
  Result<Done> run(std::span<const InputColumns> sources, std::span<const StreamJob> jobs,
                   std::vector<Piece> pieces, const Deliver& deliver);

  /// For the tables of the next run.
  TablesMemory& tables() { return tables_; }
  /// Frees all memory, once nothing uses it any more: after an error.
  void give_back();

 private:
  static constexpr int kMaxCopiers = 16;

  struct Slot {
    TransferMemory memory;
    bool is_under_way = false;
  };

  Result<Done> run_transfers(std::span<const InputColumns> sources, std::span<const StreamJob> jobs,
                             std::vector<Piece> pieces, const Deliver& deliver);
  Result<Done> reserve(std::span<const StreamJob> jobs, std::span<const Piece> pieces);
  /// The most that any of the jobs' kernels runs.
  int blocks_side_by_side(std::span<const StreamJob> jobs) const;
  Result<Done> finish(int slot, const Deliver& deliver);

  Device& device_;
  std::int64_t transfer_bytes_;
  int num_copiers_;
  Slot slots_[Device::kNumMarks];
  SharedMemory shared_;
  TablesMemory tables_;
};

}  // namespace heft::cuda
