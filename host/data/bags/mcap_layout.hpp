// Layout of an MCAP file: its channels, and blocks of records that are read as a unit.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "bags/recording.hpp"
#include "byte_file.hpp"

namespace heft::bags {

/// A chunk, or a run of messages outside chunks.
struct McapBlock {
  std::uint64_t offset = 0;  ///< of the (compressed) records in the file
  std::uint64_t length = 0;
  std::string compression;          ///< "", "lz4", "zstd"
  std::uint64_t size = 0;           ///< uncompressed
  std::uint32_t crc = 0;            ///< of the uncompressed records; 0: not recorded
  std::int64_t start = 0, end = 0;  ///< [ns] log times of its messages
};

struct McapLayout {
  std::vector<Topic> topics;
  std::vector<std::int32_t> topic_of_channel = std::vector<std::int32_t>(1 << 16, -1);  ///< -1: no
                                                                                        ///< channel
  std::vector<McapBlock> blocks;  ///< in the order of their start
  std::vector<Loss> losses;
};

/// Sequential reader for the fields of a record; reads beyond its end return zero, and is_whole()
/// becomes false.
class McapFields {
 public:
  explicit McapFields(std::string_view bytes) : bytes_(bytes) {}

  template <class Number>
  Number number() {
    Number value{};
    if (const std::string_view raw = take(sizeof(Number)); !raw.empty())
      std::memcpy(&value, raw.data(), sizeof(Number));
    return value;
  }
  std::string_view text() { return take(number<std::uint32_t>()); }
  std::string_view rest() const { return bytes_; }
  bool is_whole() const { return is_whole_; }

 private:
  std::string_view take(std::size_t size) {
    if (size > bytes_.size()) {
      is_whole_ = false;
      bytes_ = {};
      return {};
    }
    const std::string_view taken = bytes_.substr(0, size);
    bytes_.remove_prefix(size);
    return taken;
  }

  std::string_view bytes_;
  bool is_whole_ = true;
};

inline constexpr std::size_t kMcapRecordHead = 9;    ///< opcode and length
inline constexpr std::size_t kMcapMessageHead = 22;  ///< channel, sequence, log time, publish time

enum class McapOpcode : std::uint8_t {
  footer = 2,
  schema = 3,
  channel = 4,
  message = 5,
  chunk = 6,
  statistics = 11,
  data_end = 15
};

/// Maximum size of a chunk in bytes; larger ones are rejected.
inline constexpr std::uint64_t kMcapLargestChunk = std::uint64_t{1} << 28;

/// Reads the records of a block into `bytes`, decompressed and verified against its CRC; `packed`
/// is scratch memory.
Result<Done> read_block(ByteFile& file, const McapBlock& block, std::vector<char>& packed,
                        std::vector<char>& bytes);

/// Reads the head of every record. Errors: a damaged record in a file that is not truncated, wrong
/// CRCs.
Result<McapLayout> lay_out_mcap(ByteFile& file);

}  // namespace heft::bags
