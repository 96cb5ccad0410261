// The CPU's loops over one chunk of samples: lanes = samples. Compiled once per instruction set by
// lanes_*.cpp, each in a namespace of its own: of equal names the linker would keep one copy, perhaps of an
// instruction set that the machine lacks.
//
// Accumulate: rows of kBlock samples go to a slab (channel after channel, sample packs in rows), then every
// channel's outer products are summed in square register tiles over the slab. Lane sums are added once a
// chunk.
//
// The including file defines HEFT_CPU_TARGET (namespace), HEFT_CPU_LANES (doubles a register) and
// HEFT_CPU_TILE (edge of a register tile).
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "heft/core/regressor.hpp"
#include "heft/core/sample_view.hpp"
#include "host/cpu/kernels.hpp"
#include "host/cpu/pack.hpp"

namespace heft::cpu::HEFT_CPU_TARGET {

constexpr int kLanes = HEFT_CPU_LANES;
constexpr int kTile = HEFT_CPU_TILE;
constexpr int kBlock = 128;
constexpr int kPacksPerBlock = kBlock / kLanes;

/// Reads packs of consecutive samples. Lanes past the end repeat the last sample with weight zero.
struct LaneInput {
  const core::SampleView& view;
  std::int64_t at;  ///< first sample of the pack
  int num_valid;    ///< lanes that exist

  Pack load(const double* array, int column) const {
    const double* from = array + column * view.stride + at;
    Pack pack;
    if (num_valid == kLanes) {
      std::memcpy(&pack.v, from, sizeof pack.v);
    } else {
      for (int lane = 0; lane < kLanes; ++lane) pack.v[lane] = from[lane < num_valid ? lane : num_valid - 1];
    }
    return pack;
  }
  Pack position(int k) const { return load(view.position, k); }
  Pack velocity(int k) const { return load(view.velocity, k); }
  Pack acceleration(int k) const { return load(view.acceleration, k); }
  Pack base_motion(int i) const {
    return view.base_motion ? load(view.base_motion, i) : Pack(view.base_constant[i]);
  }
  Pack torque(int c) const { return load(view.torque, c); }
  Pack signal(int s) const { return load(view.signal, s); }
  Pack weight(int c) const {
    Pack pack = load(view.weight, c);
    for (int lane = num_valid; lane < kLanes; ++lane) pack.v[lane] = 0;
    return pack;
  }
};

/// The Workspace of core/regressor.hpp.
struct LaneWorkspace {
  Pack* packs;
  Pack& operator()(int i) { return packs[i]; }
};

constexpr int padded(int width) {
  return (width + kTile - 1) / kTile * kTile;
}
constexpr int tiles_along(int width) {
  return padded(width) / kTile;
}

/// Packs that a channel of this width takes in the slab, and in the lane sums.
constexpr std::int64_t slab_size(int width) {
  return static_cast<std::int64_t>(kPacksPerBlock) * padded(width);
}
constexpr std::int64_t sums_size(int width) {
  return static_cast<std::int64_t>(tiles_along(width)) * (tiles_along(width) + 1) / 2 * kTile * kTile;
}

/// Offsets of a channel in the slab and in the lane sums.
struct ChannelPlace {
  std::int64_t slab, sums;
  int stride;
};

/// Writes row entries of one pack of samples to the slab.
struct SlabSink {
  Pack* slab;
  const ChannelPlace* places;
  int pack;  ///< which pack of the block

  void put(int channel, int column, const Pack& value) {
    const ChannelPlace& place = places[channel];
    slab[place.slab + static_cast<std::int64_t>(pack) * place.stride + column] = value;
  }
};

/// sums[a][b] += sum over packs of rows[.][a] * columns[.][b], in registers.
inline void accumulate_tile(const Pack* rows, const Pack* columns, int stride, int num_packs, Pack* sums) {
  Vector tile[kTile * kTile];
  for (int i = 0; i < kTile * kTile; ++i) tile[i] = sums[i].v;
  for (int p = 0; p < num_packs; ++p, rows += stride, columns += stride) {
    Vector right[kTile];
    for (int b = 0; b < kTile; ++b) right[b] = columns[b].v;
    for (int a = 0; a < kTile; ++a) {
      const Vector left = rows[a].v;
      for (int b = 0; b < kTile; ++b) tile[a * kTile + b] += left * right[b];
    }
  }
  for (int i = 0; i < kTile * kTile; ++i) sums[i].v = tile[i];
}

struct Scratch {
  ChannelPlace* places;
  Pack* workspace;
  Pack* slab;
  Pack* sums;
  std::size_t num_bytes;
  std::int64_t slab_size, sums_size;
};

/// Lays the scratch memory out behind `memory`, which may be null to learn its size.
inline Scratch lay_out(const core::TreeView& tree, void* memory) {
  auto* base = static_cast<char*>(memory);
  const std::size_t places_bytes = (tree.num_channels * sizeof(ChannelPlace) + 63) / 64 * 64;
  Scratch scratch{};
  for (int c = 0; c < tree.num_channels; ++c) {
    scratch.slab_size += slab_size(tree.channels[c].width);
    scratch.sums_size += sums_size(tree.channels[c].width);
  }
  const std::int64_t workspace_size = core::workspace_size(tree);
  scratch.num_bytes = places_bytes + (workspace_size + scratch.slab_size + scratch.sums_size) * sizeof(Pack);
  if (memory == nullptr) return scratch;
  scratch.places = reinterpret_cast<ChannelPlace*>(base);
  scratch.workspace = reinterpret_cast<Pack*>(base + places_bytes);
  scratch.slab = scratch.workspace + workspace_size;
  scratch.sums = scratch.slab + scratch.slab_size;
  std::int64_t slab = 0, sums = 0;
  for (int c = 0; c < tree.num_channels; ++c) {
    const int width = tree.channels[c].width;
    scratch.places[c] = {slab, sums, padded(width)};
    slab += slab_size(width);
    sums += sums_size(width);
  }
  return scratch;
}

std::size_t scratch_bytes(const core::TreeView& tree) {
  return lay_out(tree, nullptr).num_bytes;
}

inline LaneInput input_at(const core::SampleView& samples, std::int64_t at, std::int64_t end) {
  return {samples, at, end - at < kLanes ? static_cast<int>(end - at) : kLanes};
}

/// Packed moments of samples [begin, begin + count) into `packed`.
void accumulate_chunk(const core::TreeView& tree, const core::SampleView& samples, std::int64_t begin,
                      int count, void* memory, double* packed) {
  const Scratch scratch = lay_out(tree, memory);
  std::memset(static_cast<void*>(scratch.slab), 0, scratch.slab_size * sizeof(Pack));
  std::memset(static_cast<void*>(scratch.sums), 0, scratch.sums_size * sizeof(Pack));
  LaneWorkspace workspace{scratch.workspace};
  const std::int64_t end = begin + count;

  for (std::int64_t block = begin; block < end; block += kBlock) {
    int num_packs = 0;
    for (std::int64_t at = block; at < end && at < block + kBlock; at += kLanes, ++num_packs) {
      const LaneInput input = input_at(samples, at, end);
      SlabSink sink{scratch.slab, scratch.places, num_packs};
      core::put_regressor_rows<Pack>(tree, input, workspace, sink);
    }
    for (int c = 0; c < tree.num_channels; ++c) {
      const ChannelPlace& place = scratch.places[c];
      const Pack* rows = scratch.slab + place.slab;
      Pack* sums = scratch.sums + place.sums;
      const int num_tiles = tiles_along(tree.channels[c].width);
      for (int a = 0; a < num_tiles; ++a)
        for (int b = a; b < num_tiles; ++b, sums += kTile * kTile)
          accumulate_tile(rows + a * kTile, rows + b * kTile, place.stride, num_packs, sums);
    }
  }

  // lanes of every tile entry -> packed triangle
  for (int c = 0; c < tree.num_channels; ++c) {
    const core::ChannelEntry& channel = tree.channels[c];
    const Pack* sums = scratch.sums + scratch.places[c].sums;
    const int num_tiles = tiles_along(channel.width);
    for (int a = 0; a < num_tiles; ++a)
      for (int b = a; b < num_tiles; ++b, sums += kTile * kTile)
        for (int i = a * kTile; i < (a + 1) * kTile && i < channel.width; ++i)
          for (int j = b * kTile; j < (b + 1) * kTile && j < channel.width; ++j)
            if (i <= j)
              packed[channel.packed_offset + core::packed_index(channel.width, i, j)] =
                  sum_of_lanes(sums[(i - a * kTile) * kTile + (j - b * kTile)]);
  }
}

/// Dots every row with its channel's coefficients instead of storing it.
struct DotSink {
  Pack* torque;  ///< per channel
  const double* const* coefficients;
  const core::ChannelEntry* channels;

  void put(int channel, int column, const Pack& value) {
    if (column + 1 < channels[channel].width)
      torque[channel] = torque[channel] + value * Pack(coefficients[channel][column]);
  }
};

/// As LaneInput, with every row at weight one.
struct UnweightedInput : LaneInput {
  Pack weight(int) const { return Pack(1.0); }
  Pack torque(int) const { return Pack(0.0); }
};

/// torque[c * stride + i] = row of channel c at sample begin + i times coefficients[c].
void predict_chunk(const core::TreeView& tree, const core::SampleView& samples, std::int64_t begin, int count,
                   const double* const* coefficients, void* memory, double* torque, std::int64_t stride) {
  const Scratch scratch = lay_out(tree, memory);
  LaneWorkspace workspace{scratch.workspace};
  Pack* sums = scratch.slab;  // at least one pack a channel
  const std::int64_t end = begin + count;
  for (std::int64_t at = begin; at < end; at += kLanes) {
    for (int c = 0; c < tree.num_channels; ++c) sums[c] = Pack(0.0);
    const UnweightedInput input{input_at(samples, at, end)};
    DotSink sink{sums, coefficients, tree.channels};
    core::put_regressor_rows<Pack>(tree, input, workspace, sink);
    for (int c = 0; c < tree.num_channels; ++c)
      for (int lane = 0; lane < input.num_valid; ++lane)
        torque[c * stride + at - begin + lane] = sums[c].v[lane];
  }
}

}  // namespace heft::cpu::HEFT_CPU_TARGET
