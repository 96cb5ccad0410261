#include "bag_topics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "bag_roles.hpp"

namespace heft {

namespace {

constexpr std::int64_t kProbedMessages = 20000;  ///< of a recording at most, unless a wanted topic
                                                 ///< is not among them
constexpr std::size_t kProbedBytes = std::size_t{1} << 28;
constexpr std::int64_t kProbedAtEnd = 10000;  ///< messages of a longer recording
constexpr std::int64_t kDiscovered = 20;      ///< messages of a channel that are examined field by
                                              ///< field
constexpr std::size_t kMaxLabels = std::size_t{1} << 14;     ///< of all channels
constexpr std::size_t kMaxLeafBytes = std::size_t{1} << 26;  ///< of all channels' leaves
constexpr std::size_t kLongestTopic = std::size_t{1} << 10;  ///< [byte] of a topic's name
constexpr int kAlternations = 4;  ///< of two channels, from which on they are two publishers
constexpr double kNanosecond = 1e-9;

/// Labels that occur in one message together belong to one part.
class LabelParts {
 public:
  /// Adds at most `most` labels that are new, and takes their number from it.
  void add(const std::vector<std::string>& labels, std::size_t& most) {
    int root = -1;
    for (const std::string& label : labels) {
      if (most == 0 && !knows(label)) continue;
      const auto [found, is_new] = index_.emplace(label, static_cast<int>(parent_.size()));
      if (is_new) parent_.push_back(found->second);
      if (is_new) --most;
      const int own = find(found->second);
      if (root < 0)
        root = own;
      else
        parent_[static_cast<std::size_t>(own)] = root;
    }
  }

  /// Parts by label, ordered by the number of messages. `messages`: counts by a label common to
  /// all.
  std::map<std::string, int> numbered(const std::map<std::string, std::int64_t>& messages,
                                      int& count) {
    std::map<int, std::int64_t> weight;
    for (const auto& [label, index] : index_) {
      const auto found = messages.find(label);
      weight[find(index)] += found == messages.end() ? 0 : found->second;
    }
    std::vector<int> order;
    for (const auto& [root, unused] : weight) order.push_back(root);
    std::sort(order.begin(), order.end(),
              [&](int a, int b) { return std::pair(-weight[a], a) < std::pair(-weight[b], b); });
    std::map<int, int> place;
    for (std::size_t k = 0; k < order.size(); ++k) place[order[k]] = static_cast<int>(k);
    std::map<std::string, int> parts;
    for (const auto& [label, index] : index_) parts[label] = place[find(index)];
    count = std::max<int>(1, static_cast<int>(order.size()));
    return parts;
  }

  bool knows(const std::string& label) const { return index_.contains(label); }
  bool shares(const LabelParts& other) const {
    return index_.empty() || other.index_.empty() ||
           std::any_of(index_.begin(), index_.end(),
                       [&](const auto& entry) { return other.knows(entry.first); });
  }

 private:
  int find(int index) {
    while (parent_[static_cast<std::size_t>(index)] != index) {
      int& parent = parent_[static_cast<std::size_t>(index)];
      parent = parent_[static_cast<std::size_t>(parent)];  // shorter ways for the next call
      index = parent;
    }
    return index;
  }
  std::map<std::string, int> index_;
  std::vector<int> parent_;
};

// A single stamp is one unless it is zero; several are if they differ. Simulated time may begin at
// zero.
void note_stamp(BagChannel& channel, double stamp) {
  if (channel.num_probed == 1) {
    channel.first_stamp = stamp;
    channel.has_stamps = stamp > 0;
  } else {
    channel.has_stamps =
        (channel.num_probed > 2 && channel.has_stamps) || stamp != channel.first_stamp;
  }
}

class Probe {
 public:
  Probe(const std::string& path, const LogFormat& format) : path_(path), format_(format) {}

  Result<BagTopics> run();

 private:
  Result<Done> open();
  Result<Done> read_messages();
  Result<Done> read_last_messages();
  Result<Done> take(const bags::Message& message);
  bool is_missing_a_wanted_topic() const;
  void make_streams();
  void add_channel(std::size_t channel, const std::string& name);
  void collect_leaves(BagStream& stream);
  bool are_two_publishers(const std::string& topic) const;
  Result<Done> discover(std::size_t topic, std::string_view data);

  const std::string& path_;
  const LogFormat& format_;
  BagTopics topics_;
  std::vector<LabelParts> parts_;                              ///< by channel
  std::vector<std::map<std::string, std::int64_t>> messages_;  ///< by channel, by their first label
  std::vector<std::int64_t*> counted_;  ///< by channel, that of the last examined labels
  std::vector<std::uint64_t> labels_;   ///< version of the last examined labels, by channel
  std::map<std::pair<std::size_t, std::size_t>, int> alternations_;
  std::map<std::string, std::size_t> last_channel_;
  std::size_t labels_left_ = kMaxLabels, leaf_bytes_ = 0;
};

Result<Done> Probe::open() {
  HEFT_TRY(recording, bags::open_recording(path_));
  topics_.recording = std::move(recording);
  const auto& listed = topics_.recording->topics();
  std::vector<bool> readable(listed.size());
  topics_.channels.resize(listed.size());
  parts_.resize(listed.size());
  labels_.resize(listed.size());
  messages_.resize(listed.size());
  counted_.resize(listed.size());
  for (std::size_t k = 0; k < listed.size(); ++k) {
    if (listed[k].name.size() > kLongestTopic)
      return Error{path_,
                   fmt::format("the name of a topic takes {} bytes, more than {}",
                               listed[k].name.size(), kLongestTopic),
                   "record it again"};
    auto decoder = bags::Decoder::make(listed[k]);
    readable[k] = decoder.ok();
    if (decoder)
      topics_.channels[k].decoder = std::move(*decoder);
    else
      topics_.channels[k].error = decoder.error();
  }
  topics_.recording->select(readable);
  return Done{};
}

// Searches the whole recording for a topic that log.topics names.
bool Probe::is_missing_a_wanted_topic() const {
  const auto& listed = topics_.recording->topics();
  for (const auto* role :
       {&format_.topics.position, &format_.topics.velocity, &format_.topics.torque})
    for (const std::string& words : *role)
      for (std::size_t k = 0; k < listed.size(); ++k)
        if (topics_.channels[k].decoder && topics_.channels[k].num_probed == 0 &&
            words.starts_with(listed[k].name + "."))
          return true;
  return false;
}

Result<Done> Probe::read_messages() {
  std::int64_t count = 0;
  std::size_t bytes = 0;
  bags::Message message;
  while ((count < kProbedMessages && bytes < kProbedBytes) || is_missing_a_wanted_topic()) {
    const auto found = topics_.recording->next(message);
    if (!found && count == 0) return found.error();
    if (!found || !*found) return topics_.recording->rewind();  // errors: reported by the reader
    ++count;
    bytes += message.data.size();
    HEFT_CHECK(take(message));
  }
  HEFT_CHECK(read_last_messages());
  return topics_.recording->rewind();
}

// Joints and topics may appear late, when their driver has started. Rates are those of the first
// messages.
Result<Done> Probe::read_last_messages() {
  topics_.recording->skip_to_end();
  std::vector<bool> is_known;
  for (const BagChannel& channel : topics_.channels) is_known.push_back(channel.num_probed > 0);
  bags::Message message;
  for (std::int64_t count = 0; count < kProbedAtEnd; ++count) {
    const auto found = topics_.recording->next(message);
    if (!found || !*found) break;
    BagChannel& channel = topics_.channels[message.topic];
    const auto before = std::pair(channel.num_probed, channel.last_time);
    HEFT_CHECK(take(message));
    if (is_known[message.topic]) std::tie(channel.num_probed, channel.last_time) = before;
  }
  return Done{};
}

// Adds the numbers of a message, within a bound for those of all channels.
Result<Done> Probe::discover(std::size_t topic, std::string_view data) {
  bags::Decoder& decoder = *topics_.channels[topic].decoder;
  const std::vector<bags::Path>& leaves = decoder.leaves();
  const std::size_t num_known = leaves.size();
  HEFT_CHECK(decoder.discover(data));
  decoder.select({});
  std::size_t added = 0;
  for (std::size_t k = num_known; k < leaves.size(); ++k)
    for (const bags::Step& step : leaves[k]) added += sizeof(bags::Step) + step.text.size();
  if (added <= kMaxLeafBytes - leaf_bytes_) {
    leaf_bytes_ += added;
    return Done{};
  }
  return Error{
      "topic " + topics_.recording->topics()[topic].name,
      fmt::format("together with this topic, the names of all numbers take more than {} MB",
                  kMaxLeafBytes >> 20),
      "record the topics that are needed, without this one"};
}

Result<Done> Probe::take(const bags::Message& message) {
  BagChannel& channel = topics_.channels[message.topic];
  if (!channel.decoder) return Done{};
  bags::Decoder& decoder = *channel.decoder;
  if (channel.num_probed++ == 0) channel.first_time = message.log_time;
  channel.last_time = message.log_time;
  bool is_looked_at = channel.num_probed <= kDiscovered;
  if (!is_looked_at) {
    if (const auto read = decoder.read(message.data, nullptr); !read)
      return Done{};  // reported by the reader
    const auto& labels = decoder.labels();
    is_looked_at = decoder.labels_version() != labels_[message.topic] &&
                   !std::all_of(labels.begin(), labels.end(), [&](const std::string& label) {
                     return parts_[message.topic].knows(label);
                   });
  }
  if (is_looked_at) {
    if (const auto found = discover(message.topic, message.data); !found) {
      channel.error = found.error();
      channel.decoder.reset();
      return Done{};
    }
  }
  if (decoder.labels_version() != labels_[message.topic]) {
    const std::vector<std::string>& labels = decoder.labels();
    LabelParts& parts = parts_[message.topic];
    parts.add(labels, labels_left_);
    const bool is_counted = !labels.empty() && parts.knows(labels.front());
    counted_[message.topic] = is_counted ? &messages_[message.topic][labels.front()] : nullptr;
  }
  labels_[message.topic] = decoder.labels_version();
  if (counted_[message.topic] != nullptr) ++*counted_[message.topic];
  if (channel.num_probed <= kDiscovered && decoder.stamp_seconds() >= 0) {
    decoder.select({decoder.stamp_seconds(), decoder.stamp_nanoseconds()});
    double stamp[2] = {0, 0};
    const auto read = decoder.read(message.data, stamp);
    if (read.ok()) note_stamp(channel, stamp[0] + kNanosecond * stamp[1]);
    decoder.select({});
  }
  const std::string& name = topics_.recording->topics()[message.topic].name;
  if (const auto last = last_channel_.find(name);
      last != last_channel_.end() && last->second != message.topic)
    ++alternations_[std::minmax(last->second, message.topic)];
  last_channel_[name] = message.topic;
  return Done{};
}

// Detects two programs that publish one topic: channels that alternate with the same joints.
bool Probe::are_two_publishers(const std::string& topic) const {
  const auto& listed = topics_.recording->topics();
  for (const auto& [pair, count] : alternations_)
    if (count >= kAlternations && listed[pair.first].name == topic &&
        parts_[pair.first].shares(parts_[pair.second]))
      return true;
  return false;
}

// Channels of one stream follow each other.
void Probe::add_channel(std::size_t channel, const std::string& name) {
  if (topics_.streams.empty() || topics_.streams.back().name != name) {
    topics_.streams.emplace_back().name = name;
    topics_.streams.back().type = topics_.recording->topics()[channel].type;
  }
  topics_.streams.back().channels.push_back(channel);
  topics_.channels[channel].stream = static_cast<int>(topics_.streams.size()) - 1;
}

void Probe::collect_leaves(BagStream& stream) {
  std::map<std::string, int> known;
  LabelParts parts;
  std::map<std::string, std::int64_t> messages;
  std::int64_t first = 0, last = 0;
  for (const std::size_t k : stream.channels) {
    BagChannel& channel = topics_.channels[k];
    if (!channel.decoder) continue;
    for (const bags::Path& leaf : channel.decoder->leaves()) {
      const auto [place, is_new] =
          known.emplace(bags::path_text(leaf, true), static_cast<int>(stream.leaves.size()));
      if (is_new) stream.leaves.push_back(leaf);
      channel.leaf.push_back(place->second);
    }
    int count = 0;
    std::map<int, std::vector<std::string>> together;
    for (const auto& [label, part] : parts_[k].numbered({}, count)) together[part].push_back(label);
    std::size_t all = kMaxLabels;  // no more were kept
    for (const auto& [part, labels] : together) parts.add(labels, all);
    for (const auto& [label, number] : messages_[k]) messages[label] += number;
    if (channel.num_probed == 0) continue;
    first = stream.num_probed == 0 ? channel.first_time : std::min(first, channel.first_time);
    last = std::max(last, channel.last_time);
    stream.num_probed += channel.num_probed;
  }
  stream.part_of_label = parts.numbered(messages, stream.num_parts);
  if (stream.num_probed > 1 && last > first)
    stream.rate_hz = static_cast<double>(stream.num_probed - 1) /
                     (kNanosecond * static_cast<double>(last - first));
}

void Probe::make_streams() {
  const auto& listed = topics_.recording->topics();
  std::map<std::string, std::vector<std::size_t>> by_name;
  for (std::size_t k = 0; k < listed.size(); ++k) by_name[listed[k].name].push_back(k);
  for (const auto& [name, channels] : by_name) {
    const bool are_apart = channels.size() > 1 && are_two_publishers(name);
    for (const std::size_t k : channels) {
      std::string number = listed[k].publisher;
      number = number.substr(number.rfind(' ') + 1);
      add_channel(k, are_apart ? name + "@" + number : name);
    }
  }
  for (BagStream& stream : topics_.streams) collect_leaves(stream);
}

Result<BagTopics> Probe::run() {
  HEFT_CHECK(open());
  HEFT_CHECK(read_messages());
  make_streams();
  return std::move(topics_);
}

}  // namespace

std::vector<std::string> words_of_losses(const bags::Recording& recording) {
  std::vector<std::string> words;
  for (const bags::Loss& loss : recording.losses()) {
    std::string text = fmt::format("{} is truncated: ", loss.file);
    text += loss.bytes == 0 ? "its end is missing"
                            : fmt::format("the last {} bytes are not read", loss.bytes);
    if (loss.seconds > 0) text += fmt::format(", a chunk of {:.3g} s", loss.seconds);
    words.push_back(std::move(text));
  }
  return words;
}

Result<BagTopics> probe_bag(const std::string& path, const LogFormat& format) {
  return Probe(path, format).run();
}

Result<BagTopics> open_bag_topics(const std::string& path, const LogFormat& format) {
  HEFT_TRY(topics, probe_bag(path, format));
  HEFT_CHECK(make_bag_columns(path, format, topics));
  return std::move(topics);
}

}  // namespace heft
