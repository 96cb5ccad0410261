// Units of work on a device: jobs, the pieces into which they are divided, and transfers of pieces
// whose samples and results together stay within a bound.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "device_job.hpp"
#include "input_columns.hpp"

namespace heft::cuda {

/// The part of a job that is the same for all transfers; its tables are on the device.
struct StreamJob {
  Kernel kernel;
  DeviceJob device;                ///< without the samples that come by transfers
  int source = -1;                 ///< index; -1 if the job has a motion
  std::int64_t fixed_result = 0;   ///< doubles of result of a piece
  std::int64_t sample_result = 0;  ///< and of each of its samples
};

/// A part of a chunk of a job: the work of one task. Jobs whose chunks have several parts have a
/// fixed result.
struct Piece {
  int job;
  std::int64_t begin, count;  ///< in the job's source or motion
  std::int64_t chunk;
  std::int64_t part, num_parts;  ///< of the chunk

  bool is_last() const { return part == num_parts - 1; }
};

/// Samples [begin, end) of one source.
struct Slice {
  int source;
  std::int64_t begin, end;
};

/// Consecutive pieces and the samples that they need, in the order of their sources.
struct Transfer {
  std::span<const Piece> pieces;
  std::vector<Slice> slices;

  /// Index of the slice of a source that is in the transfer.
  std::size_t slice_of(int source) const;
};

/// Doubles of a piece's result.
std::int64_t result_size(const StreamJob& job, const Piece& piece);

/// Size of a transfer: small transfers overlap with their neighbors, transfers of few pieces leave
/// blocks idle.
struct TransferSize {
  std::int64_t num_bytes;
  std::size_t num_pieces;  ///< that keep the device busy: fewer may need up to most_bytes()

  std::int64_t most_bytes() const { return 4 * num_bytes; }
};

/// Puts as many pieces into a transfer as fit, at least one. Pieces are in the order of their
/// sources, and of their samples in each.
std::vector<Transfer> cut_transfers(std::span<const InputColumns> sources,
                                    std::span<const StreamJob> jobs, std::span<const Piece> pieces,
                                    const TransferSize& size);

}  // namespace heft::cuda
