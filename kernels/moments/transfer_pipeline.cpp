#include "transfer_pipeline.hpp"

#include <algorithm>

#include "base/out_of_memory.hpp"
#include "base/parallel_for.hpp"
#include "block_memory.hpp"

namespace heft::cuda {

namespace {

constexpr std::int64_t kSmallestTransfer = 1 << 12;  ///< bytes; below, one piece at a time
constexpr std::int64_t kScratchAlignment = 256;
constexpr std::int64_t kWorthAThread = std::int64_t{1} << 17;  ///< doubles of results

/// Waits until the memory is no longer used, however a run ends.
struct WaitAtEnd {
  Device& device;
  ~WaitAtEnd() { static_cast<void>(device.wait_for_all()); }
};

}  // namespace

int TransferPipeline::blocks_side_by_side(std::span<const StreamJob> jobs) const {
  int blocks = 1;
  for (const StreamJob& job : jobs) blocks = std::max(blocks, device_.num_blocks(job.kernel));
  return blocks;
}

/// Scratch for as many blocks as the memory allows, and carries for jobs whose chunks have several
/// parts.
Result<Done> TransferPipeline::reserve(std::span<const StreamJob> jobs,
                                       std::span<const Piece> pieces) {
  std::int64_t stride = kScratchAlignment;
  for (const StreamJob& job : jobs)
    stride = std::max(stride, block_bytes(job.kernel, job.device).scratch);
  shared_.scratch_stride = (stride + kScratchAlignment - 1) / kScratchAlignment * kScratchAlignment;
  const std::int64_t most_blocks =
      std::min<std::int64_t>(blocks_side_by_side(jobs), static_cast<std::int64_t>(pieces.size()));
  shared_.num_blocks = static_cast<int>(
      std::clamp<std::int64_t>(most_scratch_ / shared_.scratch_stride, 1, most_blocks));
  HEFT_CHECK(
      shared_.scratch.reserve(device_, static_cast<std::size_t>(shared_.num_blocks) *
                                           static_cast<std::size_t>(shared_.scratch_stride)));
  shared_.carry_begin.assign(jobs.size(), -1);
  std::int64_t num_carried = 0;
  for (const Piece& piece : pieces) {
    if (piece.num_parts == 1 || shared_.carry_begin[piece.job] >= 0) continue;
    shared_.carry_begin[piece.job] = num_carried;
    num_carried += jobs[piece.job].fixed_result;
  }
  return shared_.carries.reserve(device_, static_cast<std::size_t>(num_carried) * sizeof(double));
}

Result<Done> TransferPipeline::finish(int index, const Deliver& deliver) {
  Slot& slot = slots_[index];
  if (!slot.is_under_way) return Done{};
  slot.is_under_way = false;
  HEFT_CHECK(device_.wait(index));
  const auto* results = reinterpret_cast<const double*>(slot.memory.pinned_output.data());
  const std::vector<Delivery>& deliveries = slot.memory.deliveries;
  const std::int64_t threads =
      std::min<std::int64_t>(num_copiers_, slot.memory.num_results / kWorthAThread);
  parallel_for(std::ssize(deliveries), static_cast<int>(std::max<std::int64_t>(1, threads)),
               [&](std::int64_t k, int) {
                 const Delivery& delivery = deliveries[static_cast<std::size_t>(k)];
                 deliver(delivery.piece, results + delivery.offset);
               });
  return Done{};
}

Result<Done> TransferPipeline::run(std::span<const InputColumns> sources,
                                   std::span<const StreamJob> jobs, std::vector<Piece> pieces,
                                   const Deliver& deliver) {
  if (pieces.empty()) return Done{};
  std::stable_sort(pieces.begin(), pieces.end(), [&jobs](const Piece& a, const Piece& b) {
    return std::pair(jobs[a.job].source, a.begin) < std::pair(jobs[b.job].source, b.begin);
  });
  Result<Done> done = run_transfers(sources, jobs, pieces, deliver);
  // other programs may have the memory now: later runs also begin with smaller transfers
  while (!done && is_out_of_memory(done.error()) && transfer_bytes_ > 0) {
    give_transfers_back();
    transfer_bytes_ = transfer_bytes_ / 4 > kSmallestTransfer ? transfer_bytes_ / 4 : 0;
    most_scratch_ = transfer_bytes_ > 0 ? most_scratch_ / 4 : 0;
    done = run_transfers(sources, jobs, pieces, deliver);
  }
  if (!done) give_back();
  return done;
}

void TransferPipeline::give_transfers_back() {
  static_cast<void>(device_.wait_for_all());
  for (Slot& slot : slots_) slot = {};
  shared_ = {};
}

void TransferPipeline::give_back() {
  give_transfers_back();
  tables_ = {};
}

Result<Done> TransferPipeline::run_transfers(std::span<const InputColumns> sources,
                                             std::span<const StreamJob> jobs,
                                             std::span<const Piece> pieces,
                                             const Deliver& deliver) {
  for (Slot& slot : slots_) slot.is_under_way = false;
  HEFT_CHECK(reserve(jobs, pieces));
  const WaitAtEnd wait_at_end{device_};
  const TransferSize size{transfer_bytes_, static_cast<std::size_t>(blocks_side_by_side(jobs))};
  int turn = 0;
  for (const Transfer& transfer : cut_transfers(sources, jobs, pieces, size)) {
    HEFT_CHECK(finish(turn, deliver));
    TransferBuilder builder(sources, jobs, transfer, num_copiers_);
    HEFT_CHECK(builder.build(device_, slots_[turn].memory, shared_));
    HEFT_CHECK(builder.launch(device_, slots_[turn].memory, shared_));
    HEFT_CHECK(device_.mark(turn));
    slots_[turn].is_under_way = true;
    turn = (turn + 1) % Device::kNumMarks;
  }
  for (int i = 0; i < Device::kNumMarks; ++i)
    HEFT_CHECK(finish((turn + i) % Device::kNumMarks, deliver));
  return Done{};
}

}  // namespace heft::cuda
