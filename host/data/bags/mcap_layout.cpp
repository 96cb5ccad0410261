#include "mcap_layout.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

#include "base/readable_text.hpp"
#include "checksum.hpp"
#include "unpack.hpp"

namespace heft::bags {

namespace {

constexpr std::uint64_t kRunBytes = std::uint64_t{1} << 20;  ///< of messages outside chunks, at
                                                             ///< once
constexpr std::uint64_t kLargestSchema = std::uint64_t{1} << 24;  ///< [byte] of a schema or channel
                                                                  ///< record
constexpr std::uint64_t kLargestMessage = std::uint64_t{1} << 28;
constexpr std::size_t kMaxChannels = 1 << 16;
constexpr std::size_t kMaxBlocks = std::size_t{1} << 22;
// of channels with the definitions of their types
constexpr std::uint64_t kMostDefinitions = std::uint64_t{1} << 26;  ///< [byte]
constexpr std::size_t kChunkHead = 8 + 8 + 8 + 4 + 4;  ///< up to the name of the compression
constexpr std::size_t kLongestMethod = 64;

std::int64_t time_of(std::uint64_t time) {
  return static_cast<std::int64_t>(
      std::min<std::uint64_t>(time, std::numeric_limits<std::int64_t>::max()));
}

std::string at_byte(const ByteFile& file, std::uint64_t offset) {
  return fmt::format("{}: byte {}", file.path(), offset);
}

class Scan {
 public:
  explicit Scan(ByteFile& file) : file_(file) {}
  Result<McapLayout> run();

 private:
  struct Schema {
    std::string name, encoding, text;
  };

  Result<bool> record(std::uint64_t offset);
  Result<Done> chunk(std::uint64_t offset, std::uint64_t length);
  Result<Done> message(std::uint64_t offset, std::uint64_t length);
  Result<Done> description(std::uint64_t offset, std::uint64_t length);
  Result<Done> definition(McapOpcode opcode, std::string_view content, const std::string& where);
  Result<Done> count_definition(std::size_t size, const std::string& where);
  Result<Done> add_block(McapBlock block);
  Result<Done> check_summary(std::uint64_t footer);
  Result<Done> look_into_chunks();
  void lose(std::uint64_t offset);

  ByteFile& file_;
  McapLayout layout_;
  std::map<std::uint16_t, Schema> schemas_;
  std::vector<std::uint16_t> schema_of_topic_;
  std::uint64_t next_ = 0;
  bool in_run_ = false, has_footer_ = false, has_statistics_ = false, has_end_ = false;
  std::uint64_t declared_channels_ = 0;
  std::uint64_t definition_bytes_ = 0;  ///< kept
  std::uint64_t unpacked_bytes_ = 0;    ///< that chunks declare
};

// A chunk of a few kilobytes can unpack to definitions of any size, and channels share them.
Result<Done> Scan::count_definition(std::size_t size, const std::string& where) {
  definition_bytes_ += size;
  if (definition_bytes_ <= kMostDefinitions) return Done{};
  return Error{where,
               fmt::format("its channels and their type definitions take more than {} MB",
                           kMostDefinitions >> 20),
               "keep the topics that are needed: mcap filter IN -o OUT -y TOPIC"};
}

Result<Done> Scan::add_block(McapBlock block) {
  if (layout_.blocks.size() >= kMaxBlocks)
    return Error{file_.path(), fmt::format("has more than {} chunks", kMaxBlocks),
                 "rewrite the file in larger chunks: mcap compress IN -o OUT --chunk-size 4194304"};
  layout_.blocks.push_back(std::move(block));
  return Done{};
}

Result<Done> Scan::definition(McapOpcode opcode, std::string_view content,
                              const std::string& where) {
  if (content.size() > kLargestSchema)
    return Error{where,
                 fmt::format("a type or channel record of {} bytes is too large", content.size()),
                 "recover the intact part with mcap recover IN -o OUT"};
  McapFields fields(content);
  const auto id = fields.number<std::uint16_t>();
  if (opcode == McapOpcode::schema) {
    if (schemas_.contains(id)) return Done{};  // the summary repeats it
    Schema schema{std::string(fields.text()), std::string(fields.text()),
                  std::string(fields.text())};
    if (!fields.is_whole())
      return Error{where, "a schema record is damaged",
                   "recover the intact part with mcap recover IN -o OUT"};
    HEFT_CHECK(count_definition(content.size(), where));
    schemas_[id] = std::move(schema);
    return Done{};
  }
  const auto schema = fields.number<std::uint16_t>();
  Topic topic;
  topic.name = readable(fields.text());
  topic.encoding = readable(fields.text());
  topic.publisher = fmt::format("channel {}", id);
  if (!fields.is_whole())
    return Error{where, "a channel record is damaged",
                 "recover the intact part with mcap recover IN -o OUT"};
  if (layout_.topic_of_channel[id] >= 0) return Done{};  // the summary repeats it
  if (layout_.topics.size() >= kMaxChannels)
    return Error{where, fmt::format("has more than {} channels", kMaxChannels),
                 "filter the topics: mcap filter"};
  HEFT_CHECK(count_definition(content.size(), where));
  layout_.topic_of_channel[id] = static_cast<std::int32_t>(layout_.topics.size());
  schema_of_topic_.push_back(schema);
  layout_.topics.push_back(std::move(topic));
  return Done{};
}

Result<Done> Scan::description(std::uint64_t offset, std::uint64_t length) {
  HEFT_TRY(head, file_.window(offset, 1));
  const auto opcode = static_cast<McapOpcode>(*head);
  if (length > kLargestSchema)
    return Error{at_byte(file_, offset),
                 fmt::format("a type or channel record of {} bytes is too large", length),
                 "recover the intact part with mcap recover IN -o OUT"};
  std::vector<char> content(static_cast<std::size_t>(length));
  HEFT_CHECK(file_.read(offset + kMcapRecordHead, content.data(), content.size()));
  return definition(opcode, {content.data(), content.size()}, at_byte(file_, offset));
}

Result<Done> Scan::chunk(std::uint64_t offset, std::uint64_t length) {
  const Error damaged{at_byte(file_, offset), "a chunk is damaged",
                      "recover the intact part with mcap recover IN -o OUT"};
  if (length < kChunkHead + 8) return damaged;
  const std::size_t size =
      static_cast<std::size_t>(std::min<std::uint64_t>(length, kChunkHead + kLongestMethod + 8));
  HEFT_TRY(bytes, file_.window(offset + kMcapRecordHead, size));
  McapFields fields({bytes, size});
  McapBlock block;
  block.start = time_of(fields.number<std::uint64_t>());
  block.end = time_of(fields.number<std::uint64_t>());
  block.size = fields.number<std::uint64_t>();
  block.crc = fields.number<std::uint32_t>();
  const std::string_view method = fields.text();
  block.compression = readable(method);
  block.length = fields.number<std::uint64_t>();
  const std::uint64_t head = kChunkHead + method.size() + 8;
  if (!fields.is_whole() || block.length > length - head) return damaged;
  block.offset = offset + kMcapRecordHead + head;
  if (block.size > kMcapLargestChunk || block.length > kMcapLargestChunk)
    return Error{
        at_byte(file_, offset),
        fmt::format("a chunk declares {:.1f} GB; at most {:.2f} GB are read",
                    1e-9 * static_cast<double>(std::max(block.size, block.length)),
                    1e-9 * static_cast<double>(kMcapLargestChunk)),
        "rewrite the file in smaller chunks: mcap compress IN -o OUT --chunk-size 4194304"};
  unpacked_bytes_ += block.size;
  if (unpacked_bytes_ > most_unpacked(file_.size()))
    return Error{at_byte(file_, offset),
                 fmt::format("the chunks up to here declare {:.3g} GB in a file of {:.3g} GB",
                             1e-9 * static_cast<double>(unpacked_bytes_),
                             1e-9 * static_cast<double>(file_.size())),
                 "rewrite it without compression: mcap compress --compression none IN -o OUT"};
  return add_block(std::move(block));
}

Result<Done> Scan::message(std::uint64_t offset, std::uint64_t length) {
  if (length < kMcapMessageHead || length > kLargestMessage)
    return Error{at_byte(file_, offset),
                 fmt::format("a message record of {} bytes is damaged", length),
                 "recover the intact part with mcap recover IN -o OUT"};
  HEFT_TRY(bytes, file_.window(offset + kMcapRecordHead, kMcapMessageHead));
  McapFields fields({bytes + 6, 8});
  const std::int64_t time = time_of(fields.number<std::uint64_t>());
  if (!in_run_ || offset - layout_.blocks.back().offset >= kRunBytes) {
    McapBlock block;
    block.offset = offset;
    block.start = block.end = time;
    HEFT_CHECK(add_block(std::move(block)));
    in_run_ = true;
  }
  McapBlock& run = layout_.blocks.back();
  run.length = run.size = offset + kMcapRecordHead + length - run.offset;
  run.start = std::min(run.start, time);
  run.end = std::max(run.end, time);
  return Done{};
}

// The full length of a chunk whose header is complete.
void Scan::lose(std::uint64_t offset) {
  Loss loss{file_.path(), file_.size() - offset, 0};
  if (file_.size() - offset >= kMcapRecordHead + 16) {
    const auto head = file_.window(offset, kMcapRecordHead + 16);
    if (head && static_cast<McapOpcode>(**head) == McapOpcode::chunk) {
      McapFields fields({*head + kMcapRecordHead, 16});
      const auto start = fields.number<std::uint64_t>(), end = fields.number<std::uint64_t>();
      if (end > start) loss.seconds = 1e-9 * static_cast<double>(end - start);
    }
  }
  layout_.losses.push_back(loss);
}

// Returns false at the end of the records.
Result<bool> Scan::record(std::uint64_t offset) {
  const std::uint64_t left = file_.size() - offset;
  std::uint64_t length = 0;
  bool is_cut = left < kMcapRecordHead;
  McapOpcode opcode{};
  if (!is_cut) {
    HEFT_TRY(head, file_.window(offset, kMcapRecordHead));
    opcode = static_cast<McapOpcode>(*head);
    std::memcpy(&length, head + 1, sizeof length);
    is_cut = length > left - kMcapRecordHead;
  }
  if (is_cut) {
    if (has_end_)
      return Error{at_byte(file_, offset),
                   fmt::format("a record declares {} bytes, but only {} remain", length, left),
                   "copy the file again, or recover the intact part with mcap recover IN -o OUT"};
    lose(offset);
    return false;
  }
  next_ = offset + kMcapRecordHead + length;
  if (opcode != McapOpcode::message && opcode != McapOpcode::schema &&
      opcode != McapOpcode::channel)
    in_run_ = false;
  if (opcode == McapOpcode::chunk) HEFT_CHECK(chunk(offset, length));
  if (opcode == McapOpcode::message) HEFT_CHECK(message(offset, length));
  if (opcode == McapOpcode::schema || opcode == McapOpcode::channel)
    HEFT_CHECK(description(offset, length));
  if (opcode == McapOpcode::statistics && length >= 14) {
    HEFT_TRY(bytes, file_.window(offset + kMcapRecordHead, 14));
    McapFields fields({bytes + 10, 4});
    declared_channels_ = fields.number<std::uint32_t>();
    has_statistics_ = true;
  }
  if (opcode == McapOpcode::footer) {
    has_footer_ = true;
    if (length >= 20) HEFT_CHECK(check_summary(offset));
    return false;
  }
  return true;
}

Result<Done> Scan::check_summary(std::uint64_t footer) {
  HEFT_TRY(bytes, file_.window(footer + kMcapRecordHead, 20));
  McapFields fields({bytes, 20});
  const auto start = fields.number<std::uint64_t>();
  fields.number<std::uint64_t>();
  const auto declared = fields.number<std::uint32_t>();
  if (declared == 0) return Done{};
  const std::uint64_t first = start == 0 ? footer : start, end = footer + kMcapRecordHead + 16;
  if (first > footer)
    return Error{at_byte(file_, footer), "the footer points past itself",
                 "recover the intact part with mcap recover IN -o OUT"};
  std::vector<char> piece(ByteFile::kWindow);
  uLong crc = 0;
  for (std::uint64_t at = first; at < end;) {
    const std::size_t size =
        static_cast<std::size_t>(std::min<std::uint64_t>(piece.size(), end - at));
    HEFT_CHECK(file_.read(at, piece.data(), size));
    crc = crc32_z(crc, reinterpret_cast<const Bytef*>(piece.data()), size);
    at += size;
  }
  if (crc != declared)
    return Error{file_.path(), "the CRC of its summary is wrong: the file is damaged",
                 "copy it again, or recover the intact part with mcap recover IN -o OUT"};
  return Done{};
}

// Channels and schemas are in chunks and, unless the writer omitted them, repeated in the summary.
Result<Done> Scan::look_into_chunks() {
  std::vector<char> packed, bytes;
  for (const McapBlock& block : layout_.blocks) {
    HEFT_CHECK(read_block(file_, block, packed, bytes));
    for (std::size_t at = 0; at + kMcapRecordHead <= bytes.size();) {
      std::uint64_t length = 0;
      std::memcpy(&length, bytes.data() + at + 1, sizeof length);
      if (length > bytes.size() - at - kMcapRecordHead) break;
      const auto opcode = static_cast<McapOpcode>(bytes[at]);
      if (opcode == McapOpcode::schema || opcode == McapOpcode::channel)
        HEFT_CHECK(definition(
            opcode, {bytes.data() + at + kMcapRecordHead, static_cast<std::size_t>(length)},
            at_byte(file_, block.offset)));
      at += kMcapRecordHead + static_cast<std::size_t>(length);
    }
  }
  return Done{};
}

Result<McapLayout> Scan::run() {
  const std::size_t magic = kMcapMagic.size();
  if (file_.size() < magic) return Error{file_.path(), "is not an MCAP file", "name an MCAP file"};
  HEFT_TRY(begin, file_.window(0, magic));
  if (std::string_view(begin, magic) != kMcapMagic)
    return Error{file_.path(), "is not an MCAP file: its first bytes do not match",
                 "name an MCAP file"};
  HEFT_TRY(end, file_.window(file_.size() - magic, magic));
  has_end_ = file_.size() > 2 * magic && std::string_view(end, magic) == kMcapMagic;
  for (next_ = magic;;) {
    if (!has_end_ && next_ == file_.size()) {  // cut between two records
      layout_.losses.push_back({file_.path(), 0, 0});
      break;
    }
    HEFT_TRY(goes_on, record(next_));
    if (!goes_on) break;
  }
  const bool lacks_schemas =
      std::any_of(schema_of_topic_.begin(), schema_of_topic_.end(),
                  [&](std::uint16_t id) { return id != 0 && schemas_.find(id) == schemas_.end(); });
  if (!has_statistics_ || layout_.topics.size() < declared_channels_ || lacks_schemas)
    HEFT_CHECK(look_into_chunks());
  for (std::size_t place = 0; place < layout_.topics.size(); ++place) {
    const auto schema = schemas_.find(schema_of_topic_[place]);
    if (schema == schemas_.end()) continue;
    Topic& topic = layout_.topics[place];
    const auto& [type, encoding, text] = schema->second;
    HEFT_CHECK(count_definition(type.size() + encoding.size() + text.size(), file_.path()));
    topic.type = readable(type);
    topic.schema_encoding = encoding;
    topic.schema = text;
  }
  std::sort(layout_.blocks.begin(), layout_.blocks.end(),
            [](const McapBlock& a, const McapBlock& b) {
              return std::tie(a.start, a.offset) < std::tie(b.start, b.offset);
            });
  return std::move(layout_);
}

}  // namespace

Result<Done> read_block(ByteFile& file, const McapBlock& block, std::vector<char>& packed,
                        std::vector<char>& bytes) {
  std::vector<char>& raw = block.compression.empty() ? bytes : packed;
  raw.resize(static_cast<std::size_t>(block.length));
  HEFT_CHECK(file.read(block.offset, raw.data(), raw.size()));
  const std::string where = at_byte(file, block.offset);
  if (!block.compression.empty())
    HEFT_CHECK(unpack(block.compression, {packed.data(), packed.size()},
                      static_cast<std::size_t>(block.size), bytes, where));
  if (block.size != bytes.size())
    return Error{where,
                 fmt::format("a chunk of {} bytes declares a size of {}", bytes.size(), block.size),
                 "recover the intact part with mcap recover IN -o OUT"};
  if (block.crc != 0 && checksum(bytes.data(), bytes.size()) != block.crc)
    return Error{where, "the CRC of a chunk is wrong: the file is damaged there",
                 "copy it again, or recover the intact part with mcap recover IN -o OUT"};
  return Done{};
}

Result<McapLayout> lay_out_mcap(ByteFile& file) {
  return Scan(file).run();
}

}  // namespace heft::bags
