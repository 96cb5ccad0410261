// Layout of a transfer in memory. Input, uploaded in one copy: jobs, tasks, sums of parts, then the
// samples of its slices. Output: results, the only part that is downloaded, then the parts of
// chunks that have several.
#pragma once

#include "device.hpp"
#include "transfer.hpp"

namespace heft::cuda {

/// A result and its position in the output [doubles].
struct Delivery {
  Piece piece;  ///< the last of its chunk
  std::int64_t offset;
};

/// Memory of a transfer and of its results. It is reused for later transfers.
struct TransferMemory {
  KeptMemory pinned_input{KeptMemory::Place::pinned}, input{KeptMemory::Place::device};
  KeptMemory output{KeptMemory::Place::device}, pinned_output{KeptMemory::Place::pinned};
  std::vector<Delivery> deliveries;
  std::int64_t num_results = 0;  ///< doubles of all of them
};

/// Memory that all transfers share.
struct SharedMemory {
  KeptMemory scratch{KeptMemory::Place::device};
  std::int64_t scratch_stride = 0;                ///< bytes of one block
  int num_blocks = 0;                             ///< that the scratch is for
  KeptMemory carries{KeptMemory::Place::device};  ///< sums of chunks that go on in the next
                                                  ///< transfer
  std::vector<std::int64_t> carry_begin;          ///< of every job [doubles]
};

class TransferBuilder {
 public:
  /// All arguments must outlive it.
  TransferBuilder(std::span<const InputColumns> sources, std::span<const StreamJob> jobs,
                  const Transfer& transfer, int num_copiers);

  /// Lays the transfer out in memory that nothing uses.
  Result<Done> build(Device& device, TransferMemory& memory, const SharedMemory& shared);
  /// Queues the upload, the kernels and the download of the results on the device.
  Result<Done> launch(Device& device, const TransferMemory& memory,
                      const SharedMemory& shared) const;

 private:
  /// Parts of one chunk in this transfer.
  struct PartSumPlan {
    const Piece* last;
    std::int64_t first_part, num_parts;  ///< number of the first in its chunk; how many
    std::int64_t parts, result;          ///< places in the output; result < 0: into the carry
  };

  /// Tasks of one launch of a kernel, and the shared memory of its blocks.
  struct KernelTasks {
    Kernel kernel;
    int num_tasks;
    std::int64_t shared_bytes;
  };

  void plan_results();
  void plan_parts();
  void lay_out_input();
  void write_slices() const;
  void write_jobs() const;
  void write_tasks();
  void write_part_sums(const SharedMemory& shared) const;

  std::span<const InputColumns> sources_;
  std::span<const StreamJob> jobs_;
  const Transfer& transfer_;
  int num_copiers_;  ///< threads that bring numbers to pinned memory

  std::vector<Delivery> deliveries_;
  std::vector<PartSumPlan> part_sums_;
  std::vector<int> sum_of_piece_;     // -1: the piece is a whole chunk
  std::vector<std::int64_t> places_;  // of every piece's result, in the output [doubles]
  std::int64_t result_size_ = 0, output_size_ = 0;

  std::vector<int> used_jobs_, local_job_;
  std::int64_t jobs_begin_ = 0, tasks_begin_ = 0, part_sums_begin_ = 0, input_bytes_ = 0;
  std::vector<std::int64_t> slice_begin_;
  std::vector<KernelTasks> launches_;
  double* output_ = nullptr;
  std::byte *pinned_ = nullptr, *input_ = nullptr;
};

}  // namespace heft::cuda
