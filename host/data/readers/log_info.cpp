#include "readers/log_info.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <string_view>
#include <utility>

#include "bag_roles.hpp"
#include "bag_topics.hpp"
#include "base/median.hpp"
#include "base/readable_text.hpp"
#include "heft/log/several_files.hpp"
#include "readers/devices.hpp"
#include "readers/log_formats.hpp"
#include "stamp_source.hpp"

namespace heft {

namespace {

constexpr std::size_t kFirstSteps = 4000;  ///< that the median is of
constexpr double kGapInSteps = 10;
constexpr double kNanosecondsPerSecond = 1e9;

/// Streaming statistics of stamps: rate, gaps and resolution in constant memory.
class StampStatistics {
 public:
  void add(std::int64_t stamp) {
    if (count_++ > 0) {
      const std::int64_t step = stamp - last_;
      divisor_ = std::gcd(divisor_, step);
      if (steps_.size() < kFirstSteps)
        steps_.push_back(static_cast<double>(step));
      else
        judge(static_cast<double>(step));
      if (steps_.size() == kFirstSteps && median_ == 0) judge_first();
    }
    last_ = stamp;
  }

  void fill(TopicInfo& info) {
    if (median_ == 0) judge_first();
    info.messages = count_;
    info.gaps = gaps_;
    info.steps_back = steps_back_;
    info.resolution_s = static_cast<double>(divisor_) / kNanosecondsPerSecond;
    if (num_steps_ > 0 && time_ > 0)
      info.rate_hz = static_cast<double>(num_steps_) / (time_ / kNanosecondsPerSecond);
  }

 private:
  void judge_first() {
    std::vector<double> steps;
    std::copy_if(steps_.begin(), steps_.end(), std::back_inserter(steps),
                 [](double step) { return step > 0; });
    if (steps.empty()) return;
    median_ = median(std::move(steps));
    for (const double step : steps_) judge(step);
  }
  void judge(double step) {
    if (step > kGapInSteps * median_) {
      ++gaps_;
      return;
    }
    if (step < 0) {
      ++steps_back_;
      return;
    }
    ++num_steps_;
    time_ += step;
  }

  std::int64_t count_ = 0, gaps_ = 0, steps_back_ = 0, num_steps_ = 0, last_ = 0, divisor_ = 0;
  double median_ = 0, time_ = 0;
  std::vector<double> steps_;
};

std::string role_of_type(const BagStream& stream) {
  for (const auto& [word, role] :
       {std::pair{"JointState", "joint_states"}, {"Wrench", "wrench"}, {"Imu", "imu"}})
    if (stream.type.find(word) != std::string::npos) return role;
  return "";
}

/// The role of a stream from log.topics or its default.
std::string role_of_stream(const BagTopics& topics, std::size_t index) {
  std::vector<std::string> roles;
  for (std::size_t role = 0; role < topics.roles.size(); ++role)
    for (const std::string& words : topics.roles[role]) {
      std::string rest;
      if (stream_of(topics, words, rest) == static_cast<int>(index))
        roles.emplace_back(kRoleNames[role]);
    }
  if (roles.size() == 1) return roles.front();
  return roles.empty() ? role_of_type(topics.streams[index]) : "joint_states";
}

std::string yaml_of(const BagTopics& topics, const char* stamp) {
  std::string text;
  for (std::size_t role = 0; role < topics.roles.size(); ++role)
    if (topics.roles[role].size() == 1)
      text += fmt::format("    {}: \"{}\"\n", kRoleNames[role], topics.roles[role].front());
  return text.empty() ? "" : "log:\n  topics:\n" + text + fmt::format("  stamp: {}\n", stamp);
}

std::vector<std::string> fields_of_stream(const BagStream& stream) {
  std::vector<std::string> fields;
  for (const bags::Path& leaf : stream.leaves) fields.push_back(bags::path_text(leaf));
  return fields;
}

/// Adds the device whose columns the topics have.
void recognize_device(LogInfo& info) {
  std::vector<std::string> columns;
  for (const TopicInfo& topic : info.topics)
    columns.insert(columns.end(), topic.fields.begin(), topic.fields.end());
  const DeviceGuess guess = guess_device(columns);
  if (guess.device == nullptr) return;
  info.device = guess.device->name;
  info.device_confidence = guess.confidence;
  info.torque_is = guess.device->torque_is;
}

Result<LogInfo> info_of_bag(const std::string& path, const LogFormat& format) {
  HEFT_TRY(topics, probe_bag(path, format));
  if (topics.streams.empty())
    return Error{path, "has no topics: it is empty, or the records that name them are damaged",
                 "record it again, or recover the intact part with mcap recover IN -o OUT"};
  // ambiguous roles are omitted; the description helps to choose them
  if (const auto named = make_bag_columns(path, format, topics);
      !named && named.error().where.starts_with("log."))
    return named.error();
  constexpr const char* kStamps[] = {"header", "publish", "log"};
  LogInfo info;
  info.stamp = kStamps[static_cast<std::size_t>(topics.stamp)];
  info.losses = words_of_losses(*topics.recording);

  std::vector<StampStatistics> stamps(topics.streams.size());
  for (BagChannel& channel : topics.channels)
    if (channel.decoder && topics.stamp == BagStamp::header && channel.has_stamps)
      channel.decoder->select(
          {channel.decoder->stamp_seconds(), channel.decoder->stamp_nanoseconds()});
  topics.recording->select(std::vector<bool>(topics.channels.size(), true));
  bags::Message message;
  for (;;) {
    HEFT_TRY(found, topics.recording->next(message));
    if (!found) break;
    BagChannel& channel = topics.channels[message.topic];
    std::int64_t stamp =
        topics.stamp == BagStamp::publish ? message.publish_time : message.log_time;
    if (channel.decoder && topics.stamp == BagStamp::header && channel.has_stamps) {
      double header[2] = {0, 0};
      if (const auto read = channel.decoder->read(message.data, header); !read) {
        if (channel.error.what.empty()) channel.error = read.error();
        continue;
      }
      stamp = header_time(header[0], header[1]);
    }
    stamps[static_cast<std::size_t>(channel.stream)].add(stamp);
  }
  for (std::size_t k = 0; k < topics.streams.size(); ++k) {
    const BagStream& stream = topics.streams[k];
    TopicInfo topic;
    topic.name = stream.name;
    topic.type = stream.type;
    topic.fields = fields_of_stream(stream);
    topic.role = role_of_stream(topics, k);
    for (const std::size_t c : stream.channels)
      if (!topics.channels[c].error.what.empty()) topic.unreadable = topics.channels[c].error.what;
    stamps[k].fill(topic);
    info.topics.push_back(std::move(topic));
  }
  info.yaml = yaml_of(topics, info.stamp.c_str());
  return info;
}

Result<LogInfo> info_of_table(const std::string& path, const LogFormat& format) {
  HEFT_TRY(opened, open_file(path, format));
  HEFT_TRY(source, in_seconds(std::move(opened), format));
  LogInfo info;
  std::vector<std::vector<int>> selected;
  for (const ColumnGroup& group : source->groups()) {
    TopicInfo topic;
    topic.name = group.name.empty() ? source->name() : group.name;
    topic.type = "table";
    for (const std::string& column : group.columns) topic.fields.push_back(readable(column));
    info.topics.push_back(std::move(topic));
    selected.push_back(group.clock < 0 ? std::vector<int>() : std::vector<int>{group.clock});
  }
  HEFT_CHECK(source->select(selected));
  std::vector<StampStatistics> stamps(info.topics.size());
  ColumnBlock block;
  for (;;) {
    HEFT_TRY(found, source->next(block));
    if (!found) break;
    const auto group = static_cast<std::size_t>(block.group);
    for (std::int64_t row = 0; row < block.num_rows; ++row) {
      constexpr double kLargest = 4e18;  // [ns], so that differences fit
      const double time = block.columns.empty()
                              ? 0
                              : block.columns[0][row] * format.time_scale * kNanosecondsPerSecond;
      stamps[group].add(std::abs(time) < kLargest ? std::llround(time) : 0);
    }
  }
  for (std::size_t k = 0; k < stamps.size(); ++k) stamps[k].fill(info.topics[k]);
  info.losses = source->losses();
  return info;
}

}  // namespace

Result<LogInfo> log_info(const std::string& words, const LogFormat& format) {
  LogInfo info;
  for (const std::string& path : files_of_log(words)) {
    if (path.empty()) return open_log(words, format).error();
    const std::string_view name = format_of_file(path);
    const bool is_recording = name == "mcap" || name == "bag";
    HEFT_TRY(file, is_recording ? info_of_bag(path, format) : info_of_table(path, format));
    info.topics.insert(info.topics.end(), file.topics.begin(), file.topics.end());
    info.losses.insert(info.losses.end(), file.losses.begin(), file.losses.end());
    if (info.stamp.empty()) info.stamp = file.stamp;
    if (info.yaml.empty()) info.yaml = file.yaml;
  }
  recognize_device(info);
  if (info.yaml.empty() && !info.device.empty())
    info.yaml = "log:\n  device: " + info.device + "\n";
  return info;
}

}  // namespace heft
