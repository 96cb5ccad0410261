#include "bag_source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "bag_topics.hpp"
#include "files/sha256.hpp"
#include "log_file.hpp"
#include "stamp_source.hpp"

namespace heft {

namespace {

constexpr std::size_t kBagBlockRows = 256;
constexpr std::size_t kOutOfOrder = 32;          ///< rows that a row may come late
constexpr std::int64_t kLatest = 1'000'000'000;  ///< [ns] that it may come late
constexpr std::int64_t kSecond = 1'000'000'000;
constexpr int kClockSteps = 8;  ///< rows in order behind a newer one: late rows do not come in
                                ///< order

/// Tells messages that arrive out of order from a clock that was set back: its stamps remain in
/// order, behind newer ones that were received earlier.
class ClockOrder {
 public:
  /// Returns by how much the clock was set back [ns], 0 if it was not.
  std::int64_t step_back(std::int64_t stamp, std::int64_t received) {
    const bool is_behind = stamp < newest_ && received > received_newest_ && stamp > last_;
    if (!is_behind) begin_ = stamp;
    num_behind_ = is_behind ? num_behind_ + 1 : 0;
    last_ = stamp;
    if (stamp > newest_) before_newest_ = newest_;
    if (stamp >= newest_) {
      newest_ = stamp;
      received_newest_ = received;
    }
    // behind one stamp alone, which was ahead of its time, nothing was set back
    return num_behind_ >= kClockSteps && begin_ < before_newest_ ? newest_ - begin_ : 0;
  }

 private:
  std::int64_t newest_ = std::numeric_limits<std::int64_t>::min(), received_newest_ = newest_;
  std::int64_t before_newest_ = newest_;
  std::int64_t last_ = newest_, begin_ = 0;
  int num_behind_ = 0;
};

/// Rows of a group that wait, in the order of their stamps.
struct PendingRows {
  std::size_t width = 0;  ///< numbers of a row, its clock among them
  std::optional<std::size_t> clock;
  std::vector<double> numbers;
  std::vector<std::int64_t> stamps, lines;
  std::int64_t last_out = std::numeric_limits<std::int64_t>::min();
  ClockOrder order;

  std::size_t size() const { return stamps.size(); }
};

/// Destination of a number read by a channel's decoder.
struct Target {
  std::size_t group, place;
};

/// Index of a leaf in the list; adds it if missing.
std::size_t place_of(std::vector<int>& leaves, int leaf) {
  const auto found = std::find(leaves.begin(), leaves.end(), leaf);
  const auto place = static_cast<std::size_t>(found - leaves.begin());
  if (found == leaves.end()) leaves.push_back(leaf);
  return place;
}

class BagSource final : public Source {
 public:
  BagSource(std::string path, BagTopics topics) : topics_(std::move(topics)) {
    name_ = std::move(path);
    groups_ = topics_.columns;
    pending_.resize(groups_.size());
    targets_.resize(topics_.channels.size());
    stamp_at_.resize(topics_.channels.size());
    numbers_of_stream_.resize(topics_.streams.size());
    part_.assign(topics_.channels.size(), {});
  }

  Result<Done> select(const std::vector<std::vector<int>>& columns) override;
  Result<bool> next(ColumnBlock& block) override;
  std::string where(int group, std::int64_t line) const override {
    return fmt::format("{}: {} message {}", name_, groups_[static_cast<std::size_t>(group)].name,
                       line);
  }
  std::vector<std::string> losses() const override { return words_of_losses(*topics_.recording); }
  double fraction_read() const override { return topics_.recording->fraction_read(); }
  double disk_seconds() const override { return topics_.recording->disk_seconds(); }
  std::int64_t origin() const override { return origin_.value_or(0) / kSecond; }
  Result<std::string> sha256() override;

 private:
  struct PartKept {
    std::uint64_t version = std::numeric_limits<std::uint64_t>::max();
    int part = 0;
  };

  void bind(std::size_t channel);
  Result<Done> begin_late(std::size_t channel, std::string_view data);
  Result<Done> take(const bags::Message& message);
  Result<double*> new_row(std::size_t group, std::int64_t stamp, std::int64_t received,
                          std::int64_t line);
  int part_of(std::size_t channel);
  std::int64_t stamp_of(const bags::Message& message) const;
  void flush(bool is_end);
  void hand_out(ColumnBlock& block);

  BagTopics topics_;
  std::vector<std::vector<int>> selected_;  ///< columns by group
  std::vector<PendingRows> pending_;
  std::vector<std::vector<Target>> targets_;  ///< by channel, of the numbers that its decoder reads
  std::vector<std::int64_t> numbers_of_stream_;
  std::vector<PartKept> part_;
  std::vector<std::vector<std::size_t>> groups_of_stream_;
  std::vector<std::pair<std::size_t, std::size_t>> stamp_at_;  ///< by channel: seconds, nanoseconds
                                                               ///< among these numbers
  std::vector<double> read_;
  std::optional<std::int64_t> origin_;  ///< [ns]
  std::deque<std::pair<std::size_t, PendingRows>> ready_;
  std::vector<PendingRows> spare_;  ///< memory for the next rows
  std::optional<Error> error_;
  bool has_ended_ = false;
};

Result<Done> BagSource::select(const std::vector<std::vector<int>>& columns) {
  selected_ = columns;
  selected_.resize(groups_.size());
  groups_of_stream_.assign(topics_.streams.size(), {});
  std::vector<bool> wanted(topics_.channels.size());
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    PendingRows& pending = pending_[g];
    pending.width = selected_[g].size();
    for (std::size_t k = 0; k < selected_[g].size(); ++k)
      if (selected_[g][k] == groups_[g].clock) pending.clock = k;
    const auto stream = static_cast<std::size_t>(topics_.groups[g].stream);
    if (!selected_[g].empty()) groups_of_stream_[stream].push_back(g);
  }
  for (std::size_t c = 0; c < topics_.channels.size(); ++c) {
    const BagChannel& channel = topics_.channels[c];
    if (!channel.decoder || channel.stream < 0) continue;
    wanted[c] = !groups_of_stream_[static_cast<std::size_t>(channel.stream)].empty();
    if (wanted[c]) bind(c);
  }
  topics_.recording->select(std::move(wanted));
  return Done{};
}

// Makes a channel's decoder read the selected columns, and the stamp if it is the clock.
void BagSource::bind(std::size_t c) {
  const BagChannel& channel = topics_.channels[c];
  std::vector<int> leaves;
  targets_[c].clear();
  for (const std::size_t g : groups_of_stream_[static_cast<std::size_t>(channel.stream)])
    for (std::size_t k = 0; k < selected_[g].size(); ++k) {
      if (selected_[g][k] == groups_[g].clock) continue;
      const int leaf = topics_.groups[g].leaves[static_cast<std::size_t>(selected_[g][k]) - 1];
      const auto own = std::find(channel.leaf.begin(), channel.leaf.end(), leaf);
      if (own == channel.leaf.end()) continue;  // another channel of the topic has it
      leaves.push_back(static_cast<int>(own - channel.leaf.begin()));
      targets_[c].push_back({g, k});
    }
  if (topics_.stamp == BagStamp::header && channel.decoder->stamp_seconds() >= 0)
    stamp_at_[c] = {place_of(leaves, channel.decoder->stamp_seconds()),
                    place_of(leaves, channel.decoder->stamp_nanoseconds())};
  channel.decoder->select(leaves);
  read_.resize(std::max(read_.size(), leaves.size()));
}

// A channel whose first message follows the probed ones has the fields of the topic's other
// channels.
Result<Done> BagSource::begin_late(std::size_t c, std::string_view data) {
  BagChannel& channel = topics_.channels[c];
  const BagStream& stream = topics_.streams[static_cast<std::size_t>(channel.stream)];
  HEFT_CHECK(channel.decoder->discover(data));
  if (topics_.stamp == BagStamp::header && channel.decoder->stamp_seconds() < 0)
    return Error{name_,
                 "a message has no header with a stamp, unlike the first messages of the topic",
                 "set log.stamp: publish (when it was sent) or log (when it was received)"};
  std::unordered_map<std::string, int> known;
  for (std::size_t k = 0; k < stream.leaves.size(); ++k)
    known.emplace(bags::path_text(stream.leaves[k], true), static_cast<int>(k));
  for (const bags::Path& leaf : channel.decoder->leaves()) {
    const auto found = known.find(bags::path_text(leaf, true));
    channel.leaf.push_back(found == known.end() ? -1 : found->second);
  }
  channel.num_probed = 1;
  bind(c);
  return Done{};
}

std::int64_t BagSource::stamp_of(const bags::Message& message) const {
  if (topics_.stamp == BagStamp::log) return message.log_time;
  if (topics_.stamp == BagStamp::publish) return message.publish_time;
  const auto [seconds, nanoseconds] = stamp_at_[message.topic];
  return header_time(read_[seconds], read_[nanoseconds]);
}

// Looks up the channel by the first name of the message.
int BagSource::part_of(std::size_t channel) {
  const BagStream& stream =
      topics_.streams[static_cast<std::size_t>(topics_.channels[channel].stream)];
  if (stream.num_parts == 1) return 0;
  const bags::Decoder& decoder = *topics_.channels[channel].decoder;
  PartKept& kept = part_[channel];
  if (kept.version == decoder.labels_version()) return kept.part;
  kept = {decoder.labels_version(), -1};
  for (const std::string& label : decoder.labels())
    if (const auto found = stream.part_of_label.find(label); found != stream.part_of_label.end()) {
      kept.part = found->second;
      break;
    }
  return kept.part;
}

Result<Done> BagSource::take(const bags::Message& message) {
  BagChannel& channel = topics_.channels[message.topic];
  const auto stream = static_cast<std::size_t>(channel.stream);
  const std::int64_t line = ++numbers_of_stream_[stream];
  auto done =
      channel.num_probed == 0 ? begin_late(message.topic, message.data) : Result<Done>(Done{});
  if (done) done = channel.decoder->read(message.data, read_.data());
  if (!done) {
    Error error = done.error();
    error.where = fmt::format("{}: {} message {}", name_, topics_.streams[stream].name, line);
    return error;
  }
  const std::vector<Target>& targets = targets_[message.topic];
  const std::int64_t stamp = stamp_of(message);
  const int part = part_of(message.topic);
  for (const std::size_t g : groups_of_stream_[stream]) {
    if (topics_.groups[g].part != part) continue;
    HEFT_TRY(row, new_row(g, stamp, message.log_time, line));
    for (std::size_t k = 0; k < targets.size(); ++k)
      if (targets[k].group == g) row[targets[k].place] = read_[k];
  }
  return Done{};
}

// Messages of one topic may arrive a little out of order. The row has only its clock.
Result<double*> BagSource::new_row(std::size_t group, std::int64_t stamp, std::int64_t received,
                                   std::int64_t line) {
  PendingRows& pending = pending_[group];
  if (!origin_) {
    origin_ = stamp / kSecond * kSecond;
    if (stamp < *origin_) *origin_ -= kSecond;
  }
  std::size_t place = pending.size();
  while (place > 0 && pending.stamps[place - 1] > stamp) --place;
  const std::int64_t last = pending.size() > 0 ? pending.stamps.back() : pending.last_out;
  std::int64_t back = pending.order.step_back(stamp, received);
  if (stamp < pending.last_out || (last > stamp && last - stamp > kLatest)) back = last - stamp;
  if (back > 0)
    return Error{
        where(static_cast<int>(group), line),
        fmt::format(
            "its stamp goes back by {:.6g} s: its clock was adjusted, or two programs publish the "
            "topic",
            1e-9 * static_cast<double>(back)),
        topics_.stamp == BagStamp::log
            ? "record it again, or sort it: mcap sort IN -o OUT"
            : "set log.stamp: log (when messages were received), or cut the recording there"};
  const auto at = static_cast<std::ptrdiff_t>(place);
  pending.stamps.insert(pending.stamps.begin() + at, stamp);
  pending.lines.insert(pending.lines.begin() + at, line);
  const auto row = pending.numbers.insert(
      pending.numbers.begin() + at * static_cast<std::ptrdiff_t>(pending.width), pending.width,
      std::nan(""));
  if (pending.clock)
    row[static_cast<std::ptrdiff_t>(*pending.clock)] = static_cast<double>(stamp - *origin_) / 1e9;
  return &*row;
}

// The rows of all groups, so that slow ones do not wait; but for those that a later message may
// come before.
void BagSource::flush(bool is_end) {
  for (std::size_t g = 0; g < pending_.size(); ++g) {
    PendingRows& pending = pending_[g];
    const std::size_t kept = is_end ? 0 : std::min(kOutOfOrder, pending.size());
    const std::size_t count = pending.size() - kept;
    if (count == 0) continue;
    PendingRows out;
    if (!spare_.empty()) {
      out = std::move(spare_.back());
      spare_.pop_back();
    }
    // the rows that stay are few: they are copied
    const auto split = [](auto& all, auto& first, std::size_t size) {
      all.swap(first);
      all.assign(first.begin() + static_cast<std::ptrdiff_t>(size), first.end());
      first.resize(size);
    };
    pending.last_out = pending.stamps[count - 1];
    split(pending.numbers, out.numbers, count * pending.width);
    split(pending.stamps, out.stamps, count);
    split(pending.lines, out.lines, count);
    out.width = pending.width;
    ready_.emplace_back(g, std::move(out));
  }
}

void BagSource::hand_out(ColumnBlock& block) {
  auto& [group, rows] = ready_.front();
  block.group = static_cast<int>(group);
  block.num_rows = static_cast<std::int64_t>(rows.size());
  block.numbers.swap(rows.numbers);
  block.lines.swap(rows.lines);
  block.columns.clear();
  for (std::size_t k = 0; k < rows.width; ++k)
    block.columns.push_back({block.numbers.data() + k, static_cast<std::int64_t>(rows.width)});
  spare_.push_back(std::move(rows));
  ready_.pop_front();
}

Result<bool> BagSource::next(ColumnBlock& block) {
  bags::Message message;
  while (ready_.empty() && !has_ended_) {
    const auto found = topics_.recording->next(message);
    if (!found) error_ = found.error();
    if (found && *found) {
      if (const auto taken = take(message); !taken) error_ = taken.error();
    }
    has_ended_ = error_ || !*found;
    const auto is_full = [](const PendingRows& pending) {
      return pending.size() >= kBagBlockRows + kOutOfOrder;
    };
    if (has_ended_ || std::any_of(pending_.begin(), pending_.end(), is_full)) flush(has_ended_);
  }
  if (!ready_.empty()) {
    hand_out(block);
    return true;
  }
  if (error_) return *error_;
  return false;
}

// The digest of a single file, or that of the digests of several.
Result<std::string> BagSource::sha256() {
  const std::vector<std::string>& files = topics_.recording->files();
  Sha256 hash;
  for (const std::string& path : files) {
    HEFT_TRY(file, LogFile::open(path));
    HEFT_TRY(digest, file.sha256());
    if (files.size() == 1) return digest;
    hash.update(digest.data(), digest.size());
  }
  return hash.hex_digest();
}

class BagInSeconds final : public SourceInSeconds {
 public:
  using SourceInSeconds::SourceInSeconds;
  Result<bool> next(ColumnBlock& block) override { return source_->next(block); }
};

}  // namespace

Result<SourcePtr> open_bag(const std::string& path, const LogFormat& format) {
  if (format.time_unit != "auto" && format.time_unit != "s")
    return Error{"log.time_unit",
                 fmt::format("'{}' does not apply to {}: stamps of recordings are in nanoseconds",
                             format.time_unit, path),
                 "remove it; log.stamp says which clock is used: header, publish or log"};
  HEFT_TRY(topics, open_bag_topics(path, format));
  SourcePtr source = std::make_unique<BagSource>(path, std::move(topics));
  return SourcePtr(std::make_unique<BagInSeconds>(std::move(source)));
}

}  // namespace heft
