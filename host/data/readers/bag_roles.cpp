#include "bag_roles.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "bags/decoder.hpp"
#include "files/name_hint.hpp"

namespace heft {

namespace {

using bags::Path;
using bags::Step;

constexpr std::array<const char*, 3> kPrefixes = {"q", "qd", "tau"};
constexpr std::array<const char*, 3> kJointStateFields = {"position", "velocity", "effort"};

const std::vector<std::string>& words_of_role(const LogFormat& format, std::size_t role) {
  return role == 0   ? format.topics.position
         : role == 1 ? format.topics.velocity
                     : format.topics.torque;
}

/// "a.b[3].c" as a, b, 3, c.
std::vector<std::string> words_of_path(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  const auto end_word = [&] {
    if (!word.empty()) words.push_back(std::exchange(word, {}));
  };
  for (const char c : text) {
    if (c == '.' || c == '[' || c == ']')
      end_word();
    else
      word += c;
  }
  end_word();
  return words;
}

/// Matches a leaf with a path that may omit the elements of one array.
struct Fit {
  bool fits = false;
  const Step* element = nullptr;  ///< that was left out
};

Fit fit(const Path& leaf, const std::vector<std::string>& words) {
  Fit result;
  std::size_t at = 0;
  for (const Step& step : leaf) {
    // a label may hold points itself
    const std::vector<std::string> parts = step.kind == Step::Kind::label
                                               ? words_of_path(step.text)
                                               : std::vector<std::string>{step.text};
    const bool is_named =
        at + parts.size() <= words.size() &&
        std::equal(parts.begin(), parts.end(), words.begin() + static_cast<std::ptrdiff_t>(at));
    if (is_named) {
      at += parts.size();
    } else if (step.kind != Step::Kind::field && result.element == nullptr) {
      result.element = &step;
    } else {
      return {};
    }
  }
  result.fits = at == words.size();
  return result;
}

/// Location of a quantity in a joint state message: an array parallel to the names (ROS), or a
/// number in each joint's message (Foxglove).
std::vector<std::string> joint_state_path(const BagStream& stream, const std::string& quantity) {
  for (const std::vector<std::string>& path : {std::vector{quantity}, {"joints", quantity}})
    if (std::any_of(stream.leaves.begin(), stream.leaves.end(),
                    [&](const Path& leaf) { return fit(leaf, path).fits; }))
      return path;
  return {};
}

/// "/joint_states.effort"; empty: the messages have none.
std::string field_text(const BagStream& stream, std::size_t role) {
  const std::vector<std::string> path = joint_state_path(stream, kJointStateFields[role]);
  return path.empty() ? "" : fmt::format("{}.{}", stream.name, fmt::join(path, "."));
}

/// The value of log that names the fields of a topic of joint states.
std::string topics_text(const BagStream& stream) {
  std::vector<std::string> entries;
  for (std::size_t role = 0; role < kRoleNames.size(); ++role)
    if (const std::string text = field_text(stream, role); !text.empty())
      entries.push_back(fmt::format("{}: \"{}\"", kRoleNames[role], text));
  return fmt::format("{{topics: {{{}}}}}", fmt::join(entries, ", "));
}

std::vector<std::string> stream_names(const BagTopics& topics) {
  std::vector<std::string> names;
  for (const BagStream& stream : topics.streams) names.push_back(stream.name);
  return names;
}

class Columns {
 public:
  Columns(const std::string& path, const LogFormat& format, BagTopics& topics)
      : path_(path), format_(format), topics_(topics), role_names_(topics.streams.size()) {}

  Result<Done> make() {
    uses_patterns_ = is_any_pattern(
        [](const std::string& pattern) { return pattern.find('/') != std::string::npos; });
    in_brackets_ = is_any_pattern([](const std::string& pattern) {
      return pattern.starts_with('/') && pattern.find('[') != std::string::npos;
    });
    const LogFormat defaults;
    is_default_ = format_.position == defaults.position && format_.torque == defaults.torque;
    HEFT_CHECK(choose_roles());
    for (std::size_t role = 0; role < topics_.roles.size(); ++role) HEFT_CHECK(name_role(role));
    HEFT_CHECK(choose_clock());
    make_groups();
    if (topics_.groups.empty())
      return Error{path_, "has no topic with numbers that can be read",
                   why_unreadable() + "heft info " + path_ + " lists the topics"};
    return Done{};
  }

 private:
  bool is_any_pattern(const std::function<bool(const std::string&)>& holds) const {
    for (const auto* patterns : {&format_.position, &format_.velocity, &format_.torque})
      if (std::any_of(patterns->begin(), patterns->end(), holds)) return true;
    return false;
  }

  std::string why_unreadable() const {
    for (const BagChannel& channel : topics_.channels)
      if (!channel.error.what.empty())
        return channel.error.where + ": " + channel.error.what + ": " + channel.error.remedy + "; ";
    return "";
  }

  Result<Done> choose_roles();
  Result<Done> choose_joint_states();
  Result<Done> name_role(std::size_t role);
  Error no_such_field(std::size_t role, const std::string& words, int stream,
                      const std::string& rest) const;
  Result<Done> choose_clock();
  void make_groups();
  std::string name_of(const BagStream& stream, int stream_index, int leaf) const;
  bool is_stamp(const BagStream& stream, int leaf) const;

  const std::string& path_;
  const LogFormat& format_;
  BagTopics& topics_;
  std::vector<std::map<int, std::string>> role_names_;  ///< by stream, by leaf
  std::set<int> used_;                                  ///< streams that roles or patterns name
  bool uses_patterns_ = false, in_brackets_ = false, is_default_ = true;
};

Result<Done> Columns::choose_roles() {
  bool is_given = false;
  for (std::size_t role = 0; role < topics_.roles.size(); ++role) {
    topics_.roles[role] = words_of_role(format_, role);
    is_given = is_given || !topics_.roles[role].empty();
  }
  if (uses_patterns_) {
    for (std::size_t k = 0; k < topics_.streams.size(); ++k)
      if (is_any_pattern([&](const std::string& pattern) {
            return pattern.starts_with(topics_.streams[k].name);
          }))
        used_.insert(static_cast<int>(k));
  }
  return is_given || uses_patterns_ ? Result<Done>(Done{}) : choose_joint_states();
}

// The only topic of joint states, or the only one that holds efforts.
Result<Done> Columns::choose_joint_states() {
  std::vector<int> found = joint_state_streams(topics_), with_effort;
  std::copy_if(found.begin(), found.end(), std::back_inserter(with_effort),
               [&](int k) { return has_effort(topics_.streams[static_cast<std::size_t>(k)]); });
  if (!with_effort.empty()) found = with_effort;
  if (found.empty()) {
    for (std::size_t k = 0; k < topics_.channels.size() && is_default_; ++k)
      if (!topics_.channels[k].error.what.empty() &&
          topics_.recording->topics()[k].type.find("JointState") != std::string::npos)
        return Error{path_ + ": " + topics_.channels[k].error.where, topics_.channels[k].error.what,
                     topics_.channels[k].error.remedy};
    return Done{};
  }
  if (found.size() > 1) {
    std::vector<std::string> names;
    for (const int k : found) names.push_back(topics_.streams[static_cast<std::size_t>(k)].name);
    const bool are_publishers = names.front().find('@') != std::string::npos;
    if (!is_default_) return Done{};
    const auto usual = std::find_if(names.begin(), names.end(), [](const std::string& name) {
      return name.find("joint_states") != std::string::npos;
    });
    const auto chosen = usual == names.end() ? 0 : usual - names.begin();
    return Error{
        path_,
        are_publishers
            ? fmt::format("two publishers alternately write the same joints to one topic: {}",
                          fmt::join(names, ", "))
            : fmt::format("has {} topics of joint states: {}", names.size(),
                          fmt::join(names, ", ")),
        "choose one: log: " + topics_text(topics_.streams[static_cast<std::size_t>(
                                  found[static_cast<std::size_t>(chosen)])])};
  }
  const BagStream& stream = topics_.streams[static_cast<std::size_t>(found.front())];
  for (std::size_t role = 0; role < topics_.roles.size(); ++role)
    if (std::string text = field_text(stream, role); !text.empty())
      topics_.roles[role] = {std::move(text)};
  return Done{};
}

Error Columns::no_such_field(std::size_t role, const std::string& words, int stream,
                             const std::string& rest) const {
  const std::string option = fmt::format("log.topics.{}", kRoleNames[role]);
  if (stream < 0) {
    std::string with_dot = words, ignored;
    if (const std::size_t at = words.rfind('/'); at != std::string::npos) with_dot[at] = '.';
    const std::string hint =
        stream_of(topics_, with_dot, ignored) < 0
            ? name_hint(words.substr(0, words.find('.')), stream_names(topics_), "its topics are")
            : "write a dot before the field: " + with_dot;
    return Error{
        option, fmt::format("{} has no topic '{}'", path_, words.substr(0, words.find('.'))), hint};
  }
  const BagStream& topic = topics_.streams[static_cast<std::size_t>(stream)];
  for (const std::size_t k : topic.channels)
    if (topics_.channels[k].error.what != "")
      return Error{option, topics_.channels[k].error.where + ": " + topics_.channels[k].error.what,
                   topics_.channels[k].error.remedy};
  if (topic.num_probed == 0)
    return Error{option, fmt::format("topic {} of {} has no messages", topic.name, path_),
                 "name another topic, or record it again: heft info " + path_ + " lists them"};
  std::vector<std::string> fields;
  for (const Path& leaf : topic.leaves) {
    Path shown;
    for (const Step& step : leaf)
      if (step.kind == Step::Kind::field) shown.push_back(step);
    std::string text = bags::path_text(shown);
    if (std::find(fields.begin(), fields.end(), text) == fields.end())
      fields.push_back(std::move(text));
  }
  if (rest.empty())
    return Error{option, fmt::format("'{}' is a topic, not a number in its messages", words),
                 fmt::format("name a field after a dot, as {}.{}; it has {}", topic.name,
                             role == 2 ? "effort" : kRoleNames[role], fmt::join(fields, ", "))};
  return Error{option,
               fmt::format("topic {} ({}) of {} has no number '{}' in its first messages",
                           topic.name, topic.type, path_, rest),
               name_hint(rest, fields, "it has")};
}

Result<Done> Columns::name_role(std::size_t role) {
  int number = 0;
  for (const std::string& words : topics_.roles[role]) {
    ++number;
    std::string rest;
    const int index = stream_of(topics_, words, rest);
    if (index < 0) return no_such_field(role, words, index, rest);
    const BagStream& stream = topics_.streams[static_cast<std::size_t>(index)];
    const std::vector<std::string> path = words_of_path(rest);
    bool is_found = false;
    for (std::size_t leaf = 0; leaf < stream.leaves.size(); ++leaf) {
      const Fit found = fit(stream.leaves[leaf], path);
      if (!found.fits || path.empty()) continue;
      is_found = true;
      if (found.element != nullptr && topics_.roles[role].size() > 1)
        return Error{
            fmt::format("log.topics.{}", kRoleNames[role]),
            fmt::format("'{}' is an array, but each entry of a list must be one number", words),
            "name its elements, " + words + "[0] or by joint, or give the array alone"};
      const auto [named, is_first] =
          role_names_[static_cast<std::size_t>(index)].try_emplace(static_cast<int>(leaf));
      if (!is_first)
        return Error{fmt::format("log.topics.{}", kRoleNames[role]),
                     fmt::format("'{}' is named twice in log.topics", words),
                     "name each field once"};
      const std::string prefix = kPrefixes[role];
      std::string name = prefix + std::to_string(number);
      if (found.element != nullptr && found.element->kind == Step::Kind::label)
        name = prefix + "_" + found.element->text;
      else if (found.element != nullptr)
        name = prefix + std::to_string(std::stoul(found.element->text) + 1);
      named->second = std::move(name);
    }
    if (!is_found) return no_such_field(role, words, index, rest);
    used_.insert(index);
  }
  return Done{};
}

// Stamps of headers are nearest to the measurement; one clock serves all topics that are used.
Result<Done> Columns::choose_clock() {
  const auto has_stamps = [&](int index) {
    const BagStream& stream = topics_.streams[static_cast<std::size_t>(index)];
    return std::all_of(stream.channels.begin(), stream.channels.end(), [&](std::size_t k) {
      return topics_.channels[k].num_probed == 0 || topics_.channels[k].has_stamps;
    });
  };
  if (format_.stamp == "publish") topics_.stamp = BagStamp::publish;
  if (format_.stamp == "log") topics_.stamp = BagStamp::log;
  if (format_.stamp == "auto")
    topics_.stamp = !used_.empty() && std::all_of(used_.begin(), used_.end(), has_stamps)
                        ? BagStamp::header
                        : BagStamp::log;
  if (format_.stamp != "header") return Done{};
  topics_.stamp = BagStamp::header;
  for (const int index : used_)
    if (!has_stamps(index))
      return Error{"log.stamp",
                   fmt::format("messages of {} have no header with a stamp, or it is zero",
                               topics_.streams[static_cast<std::size_t>(index)].name),
                   "set log.stamp: publish (when it was sent) or log (when it was received)"};
  return Done{};
}

std::string Columns::name_of(const BagStream& stream, int stream_index, int leaf) const {
  const auto& named = role_names_[static_cast<std::size_t>(stream_index)];
  if (const auto found = named.find(leaf); found != named.end()) return found->second;
  const Path& path = stream.leaves[static_cast<std::size_t>(leaf)];
  return stream.name + "." + bags::path_text(path, in_brackets_);
}

/// Whether a field is part of a header's stamp, which is a clock rather than a column.
bool Columns::is_stamp(const BagStream& stream, int leaf) const {
  return std::any_of(stream.channels.begin(), stream.channels.end(), [&](std::size_t k) {
    const BagChannel& channel = topics_.channels[k];
    if (!channel.decoder || channel.decoder->stamp_seconds() < 0) return false;
    return channel.leaf[static_cast<std::size_t>(channel.decoder->stamp_seconds())] == leaf ||
           channel.leaf[static_cast<std::size_t>(channel.decoder->stamp_nanoseconds())] == leaf;
  });
}

// Orders used topics first, the fastest before all others: it leads the join.
void Columns::make_groups() {
  std::vector<int> order(topics_.streams.size());
  for (std::size_t k = 0; k < order.size(); ++k) order[k] = static_cast<int>(k);
  const auto key = [&](int k) {
    return std::tuple(!used_.contains(k), -topics_.streams[static_cast<std::size_t>(k)].rate_hz, k);
  };
  std::sort(order.begin(), order.end(), [&](int a, int b) { return key(a) < key(b); });
  for (const int index : order) {
    const BagStream& stream = topics_.streams[static_cast<std::size_t>(index)];
    const bool has_clock =
        topics_.stamp != BagStamp::header || used_.contains(index) ||
        std::all_of(stream.channels.begin(), stream.channels.end(),
                    [&](std::size_t k) { return topics_.channels[k].has_stamps; });
    if (stream.leaves.empty() || stream.num_probed == 0 || !has_clock) continue;
    std::vector<int> part_of_leaf;
    for (const Path& leaf : stream.leaves) {
      part_of_leaf.push_back(0);
      for (const Step& step : leaf)
        if (const auto found = stream.part_of_label.find(step.text);
            step.kind == Step::Kind::label && found != stream.part_of_label.end())
          part_of_leaf.back() = found->second;
    }
    for (int part = 0; part < stream.num_parts; ++part) {
      BagGroup group{index, part, {}};
      ColumnGroup columns;
      columns.name = stream.name;
      columns.clock = 0;
      columns.columns = {format_.time};
      for (int leaf = 0; leaf < static_cast<int>(stream.leaves.size()); ++leaf) {
        if (part_of_leaf[static_cast<std::size_t>(leaf)] != part || is_stamp(stream, leaf))
          continue;
        group.leaves.push_back(leaf);
        columns.columns.push_back(name_of(stream, index, leaf));
      }
      if (group.leaves.empty()) continue;
      if (stream.num_parts > 1) columns.name += fmt::format(" ({})", columns.columns.back());
      topics_.groups.push_back(std::move(group));
      topics_.columns.push_back(std::move(columns));
    }
  }
}

}  // namespace

Result<Done> make_bag_columns(const std::string& path, const LogFormat& format, BagTopics& topics) {
  return Columns(path, format, topics).make();
}

int stream_of(const BagTopics& topics, const std::string& words, std::string& rest) {
  int found = -1;
  std::size_t longest = 0;
  for (std::size_t k = 0; k < topics.streams.size(); ++k) {
    const std::string& name = topics.streams[k].name;
    const bool is_it = words == name || words.starts_with(name + ".");
    if (!is_it || (found >= 0 && name.size() < longest)) continue;
    found = static_cast<int>(k);
    longest = name.size();
  }
  rest = found < 0 ? words : words.substr(std::min(words.size(), longest + 1));
  return found;
}

std::vector<int> joint_state_streams(const BagTopics& topics) {
  std::vector<int> found;
  for (std::size_t k = 0; k < topics.streams.size(); ++k) {
    const BagStream& stream = topics.streams[k];
    const bool is_joint_states = stream.type.find("JointState") != std::string::npos &&
                                 stream.type.find("Dynamic") == std::string::npos;
    if (is_joint_states && !joint_state_path(stream, "position").empty())
      found.push_back(static_cast<int>(k));
  }
  return found;
}

bool has_effort(const BagStream& stream) {
  return !joint_state_path(stream, "effort").empty();
}

}  // namespace heft
