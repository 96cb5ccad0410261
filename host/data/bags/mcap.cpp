// Reads the messages of an MCAP file in log time order: loads a block when its first message may be
// next.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <memory>
#include <tuple>
#include <utility>

#include "bags/recording.hpp"
#include "byte_file.hpp"
#include "mcap_layout.hpp"
#include "unpack.hpp"

namespace heft::bags {

namespace {

constexpr std::uint64_t kMaxLoaded = std::uint64_t{1} << 29;   ///< [byte] of blocks that overlap in
                                                               ///< time
constexpr std::size_t kMaxOverlapping = std::size_t{1} << 12;  ///< blocks

/// A block in memory, and its wanted messages by time.
struct LoadedBlock {
  struct Place {
    std::int64_t time;
    std::uint32_t offset, size;
    std::uint32_t topic;
  };
  std::vector<char> bytes;
  std::vector<Place> places;
  std::size_t next = 0;
  std::size_t order = 0;  ///< of the block in the file's order of time

  bool has_more() const { return next < places.size(); }
  std::int64_t time() const { return places[next].time; }
};

class Mcap final : public Recording {
 public:
  static Result<RecordingPtr> open(const std::string& path);

  Result<bool> next(Message& message) override;
  Result<Done> rewind() override {
    next_block_ = 0;
    loaded_bytes_ = 0;
    loaded_.clear();
    return Done{};
  }
  void skip_to_end() override {
    constexpr std::size_t kLastBlocks = 2;
    next_block_ = layout_.blocks.size() - std::min(kLastBlocks, layout_.blocks.size());
    loaded_bytes_ = 0;
    loaded_.clear();
  }
  std::int64_t start_time() const override { return layout_.blocks.front().start; }
  double fraction_read() const override {
    return layout_.blocks.empty()
               ? 1
               : static_cast<double>(next_block_) / static_cast<double>(layout_.blocks.size());
  }
  double disk_seconds() const override { return file_.seconds(); }

 private:
  Result<Done> load(std::size_t index);
  Result<Done> index_messages(LoadedBlock& block, const McapBlock& from) const;
  Result<Done> load_what_may_be_next();
  LoadedBlock* earliest();

  ByteFile file_;
  McapLayout layout_;
  std::size_t next_block_ = 0;
  std::uint64_t loaded_bytes_ = 0;
  std::vector<std::unique_ptr<LoadedBlock>> loaded_, spare_;
  std::vector<char> packed_, unpacked_;
};

Result<RecordingPtr> Mcap::open(const std::string& path) {
  auto mcap = std::make_unique<Mcap>();
  HEFT_TRY(file, ByteFile::open(path));
  mcap->file_ = std::move(file);
  HEFT_TRY(layout, lay_out_mcap(mcap->file_));
  mcap->layout_ = std::move(layout);
  mcap->topics_ = std::move(mcap->layout_.topics);
  mcap->losses_ = mcap->layout_.losses;
  mcap->files_ = {path};
  if (mcap->layout_.blocks.empty())
    return Error{path,
                 mcap->losses_.empty()
                     ? "contains no messages"
                     : "ends before its first chunk is complete: no message can be read",
                 "record it again, or check the recorder's topics"};
  return RecordingPtr(std::move(mcap));
}

Result<Done> Mcap::index_messages(LoadedBlock& block, const McapBlock& from) const {
  const Error damaged{fmt::format("{}: byte {}", file_.path(), from.offset),
                      "the records of a chunk are damaged",
                      "recover the intact part with mcap recover IN -o OUT"};
  block.places.clear();
  block.next = 0;
  bool is_sorted = true;
  std::int64_t last = std::numeric_limits<std::int64_t>::min();
  const char* const bytes = block.bytes.data();
  for (std::size_t at = 0, size = block.bytes.size(); at < size;) {
    std::uint64_t length = 0;
    if (size - at < kMcapRecordHead) return damaged;
    std::memcpy(&length, bytes + at + 1, sizeof length);
    if (length > size - at - kMcapRecordHead) return damaged;
    const auto opcode = static_cast<McapOpcode>(bytes[at]);
    at += kMcapRecordHead;
    if (opcode == McapOpcode::message) {
      if (length < kMcapMessageHead) return damaged;
      std::uint16_t channel = 0;
      std::uint64_t time = 0;
      std::memcpy(&channel, bytes + at, sizeof channel);
      std::memcpy(&time, bytes + at + 6, sizeof time);
      const std::int32_t topic = layout_.topic_of_channel[channel];
      if (topic >= 0 && is_wanted(static_cast<std::size_t>(topic))) {
        const auto now = static_cast<std::int64_t>(time & std::numeric_limits<std::int64_t>::max());
        is_sorted = is_sorted && now >= last;
        last = now;
        block.places.push_back({now, static_cast<std::uint32_t>(at),
                                static_cast<std::uint32_t>(length),
                                static_cast<std::uint32_t>(topic)});
      }
    }
    at += static_cast<std::size_t>(length);
  }
  if (!is_sorted)
    std::sort(block.places.begin(), block.places.end(),
              [](const LoadedBlock::Place& a, const LoadedBlock::Place& b) {
                return std::tie(a.time, a.offset) < std::tie(b.time, b.offset);
              });
  return Done{};
}

Result<Done> Mcap::load(std::size_t index) {
  const McapBlock& from = layout_.blocks[index];
  loaded_bytes_ += from.size;
  if ((loaded_bytes_ > kMaxLoaded && !loaded_.empty()) || loaded_.size() >= kMaxOverlapping)
    return Error{file_.path(),
                 fmt::format("{} chunks overlap in time, {} MB at once", loaded_.size() + 1,
                             loaded_bytes_ >> 20),
                 "sort the file by time: mcap sort IN -o OUT"};
  if (spare_.empty()) spare_.push_back(std::make_unique<LoadedBlock>());
  std::unique_ptr<LoadedBlock> block = std::move(spare_.back());
  spare_.pop_back();
  HEFT_CHECK(read_block(file_, from, packed_, block->bytes));
  HEFT_CHECK(index_messages(*block, from));
  block->order = index;
  loaded_.push_back(std::move(block));
  return Done{};
}

/// The loaded block with the earliest next message; among equals, the first in the file.
LoadedBlock* Mcap::earliest() {
  LoadedBlock* first = nullptr;
  for (const auto& block : loaded_)
    if (block->has_more() && (first == nullptr || block->time() < first->time()))
      first = block.get();
  return first;
}

Result<Done> Mcap::load_what_may_be_next() {
  for (std::size_t k = 0; k < loaded_.size();) {
    if (loaded_[k]->has_more()) {
      ++k;
      continue;
    }
    loaded_bytes_ -= layout_.blocks[loaded_[k]->order].size;
    if (spare_.size() < 2) spare_.push_back(std::move(loaded_[k]));
    loaded_.erase(loaded_.begin() + static_cast<std::ptrdiff_t>(k));
  }
  const LoadedBlock* first = earliest();
  while (next_block_ < layout_.blocks.size() &&
         (first == nullptr || layout_.blocks[next_block_].start <= first->time())) {
    HEFT_CHECK(load(next_block_++));
    if (!loaded_.back()->has_more()) {  // nothing in it is wanted
      loaded_bytes_ -= layout_.blocks[loaded_.back()->order].size;
      spare_.push_back(std::move(loaded_.back()));
      loaded_.pop_back();
      continue;
    }
    first = earliest();
  }
  return Done{};
}

Result<bool> Mcap::next(Message& message) {
  LoadedBlock* block = earliest();
  const bool may_be_later =
      block == nullptr ||
      (next_block_ < layout_.blocks.size() && layout_.blocks[next_block_].start <= block->time());
  if (may_be_later) {
    HEFT_CHECK(load_what_may_be_next());
    block = earliest();
  }
  if (block == nullptr) return false;
  const LoadedBlock::Place& place = block->places[block->next++];
  const char* const record = block->bytes.data() + place.offset;
  std::uint64_t sent = 0;
  std::memcpy(&sent, record + 14, sizeof sent);
  message.topic = place.topic;
  message.log_time = place.time;
  message.publish_time = static_cast<std::int64_t>(sent & std::numeric_limits<std::int64_t>::max());
  message.data = {record + kMcapMessageHead, place.size - kMcapMessageHead};
  HEFT_CHECK(unpack_message(message, file_.path(), unpacked_));
  return true;
}

}  // namespace

Result<RecordingPtr> open_mcap(const std::string& path) {
  return Mcap::open(path);
}

}  // namespace heft::bags
