#include "transfer.hpp"

#include <algorithm>

namespace heft::cuda {

std::size_t Transfer::slice_of(int source) const {
  const auto found = std::partition_point(
      slices.begin(), slices.end(), [source](const Slice& slice) { return slice.source < source; });
  return static_cast<std::size_t>(found - slices.begin());
}

std::int64_t result_size(const StreamJob& job, const Piece& piece) {
  return job.fixed_result + job.sample_result * piece.count;
}

std::vector<Transfer> cut_transfers(std::span<const InputColumns> sources,
                                    std::span<const StreamJob> jobs, std::span<const Piece> pieces,
                                    const TransferSize& size) {
  std::vector<Transfer> transfers;
  std::int64_t filled = 0;
  std::size_t first = 0;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const Piece& piece = pieces[i];
    const StreamJob& job = jobs[piece.job];
    const std::int64_t end = piece.begin + piece.count;
    const std::int64_t results =
        static_cast<std::int64_t>(sizeof(double)) * result_size(job, piece);
    const auto bytes_of_samples = [&](std::int64_t begin) {
      return job.source < 0 || end <= begin
                 ? 0
                 : (end - begin) * sources[job.source].bytes_per_sample();
    };
    Slice* slice = transfers.empty() || transfers.back().slices.empty()
                       ? nullptr
                       : &transfers.back().slices.back();
    if (slice && slice->source != job.source) slice = nullptr;
    std::int64_t needed = results + bytes_of_samples(slice ? slice->end : piece.begin);
    const bool keeps_busy = i - first >= size.num_pieces;
    if (transfers.empty() || filled + needed > (keeps_busy ? size.num_bytes : size.most_bytes())) {
      transfers.emplace_back();
      first = i;
      slice = nullptr;
      filled = 0;
      needed = results + bytes_of_samples(piece.begin);
    }
    filled += needed;
    transfers.back().pieces = pieces.subspan(first, i + 1 - first);
    if (slice)
      slice->end = std::max(slice->end, end);
    else if (job.source >= 0)
      transfers.back().slices.push_back({job.source, piece.begin, end});
  }
  return transfers;
}

}  // namespace heft::cuda
