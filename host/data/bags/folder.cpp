// Reads ROS 2 bag folders: merges files that overlap in time, with or without metadata.yaml.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "bags/recording.hpp"
#include "base/readable_text.hpp"

namespace heft::bags {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMetadata = "metadata.yaml";
constexpr std::string_view kCompressed = ".zstd";
constexpr std::uintmax_t kLargestMetadata = std::uintmax_t{1} << 24;  ///< [byte]
constexpr std::size_t kMaxFiles = 1 << 16;
constexpr std::size_t kMostMergedDefinitions = std::size_t{1} << 27;  ///< [byte] of all files

bool is_recording_name(const std::string& name) {
  return name.ends_with(".mcap") || name.ends_with(".db3") || is_compressed_recording(name);
}

/// Sorts bag_10 after bag_9.
bool comes_before(const std::string& a, const std::string& b) {
  std::size_t i = 0, j = 0;
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  const auto number_end = [&](const std::string& text, std::size_t from) {
    while (from < text.size() && is_digit(text[from])) ++from;
    return from;
  };
  while (i < a.size() && j < b.size()) {
    if (!is_digit(a[i]) || !is_digit(b[j])) {
      if (a[i] != b[j]) return a[i] < b[j];
      ++i, ++j;
      continue;
    }
    const std::size_t end_a = number_end(a, i), end_b = number_end(b, j);
    const std::string number_a = a.substr(i, end_a - i), number_b = b.substr(j, end_b - j);
    if (number_a.size() != number_b.size()) return number_a.size() < number_b.size();
    if (number_a != number_b) return number_a < number_b;
    i = end_a, j = end_b;
  }
  return a.size() - i < b.size() - j;
}

std::string without_quotes(std::string text) {
  const std::size_t begin = text.find_first_not_of(" \t\r\"'");
  if (begin == std::string::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r\"'") - begin + 1);
}

/// Names of files that metadata.yaml lists, without their folders; none of a larger file, which no
/// recorder writes.
std::vector<std::string> listed_files(const fs::path& metadata) {
  std::vector<std::string> names;
  std::error_code failure;
  if (!fs::is_regular_file(metadata, failure) ||
      fs::file_size(metadata, failure) > kLargestMetadata)
    return names;
  std::ifstream file(metadata);
  bool is_in_list = false;
  for (std::string line; names.size() < kMaxFiles && std::getline(file, line);) {
    const std::size_t begin = line.find_first_not_of(" \t");
    if (begin == std::string::npos) continue;
    const std::string words = line.substr(begin);
    if (words.starts_with("relative_file_paths:")) {
      is_in_list = true;
    } else if (is_in_list && words.starts_with("- ")) {
      names.push_back(fs::path(without_quotes(words.substr(2))).filename().string());
    } else {
      is_in_list = false;
    }
  }
  return names;
}

std::vector<std::string> recordings_in(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code failure;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, failure)) {
    const std::string name = entry.path().filename().string();
    if (entry.is_regular_file(failure) && is_recording_name(name)) names.push_back(name);
  }
  // ros2 bag leaves unpacked files beside the compressed ones
  std::erase_if(names, [&](const std::string& name) {
    return name.ends_with(kCompressed) &&
           std::find(names.begin(), names.end(),
                     name.substr(0, name.size() - kCompressed.size())) != names.end();
  });
  std::sort(names.begin(), names.end(), comes_before);
  return names;
}

class Merged final : public Recording {
 public:
  Result<Done> open(const std::vector<std::string>& paths);

  void select(std::vector<bool> wanted) override;
  Result<bool> next(Message& message) override;
  Result<Done> rewind() override;
  void skip_to_end() override;
  std::int64_t start_time() const override {
    std::int64_t first = parts_.front().recording->start_time();
    for (const Part& part : parts_) first = std::min(first, part.recording->start_time());
    return first;
  }
  double fraction_read() const override;
  double disk_seconds() const override;

 private:
  struct Part {
    RecordingPtr recording;
    std::vector<std::size_t> topics;  ///< of the merged recording, by its own
    Message message;
    bool has_message = false, has_begun = false, has_ended = false;
    std::int64_t time() const { return has_begun ? message.log_time : recording->start_time(); }
  };
  Result<Done> advance(Part& part);

  std::vector<Part> parts_;
  Part* last_ = nullptr;  ///< whose message was handed out
};

// Channels of one topic and type in several files are one channel.
Result<Done> Merged::open(const std::vector<std::string>& paths) {
  std::map<std::tuple<std::string, std::string, std::string, std::string, int>, std::size_t> known;
  std::size_t definition_bytes = 0;
  for (const std::string& path : paths) {
    HEFT_TRY(recording, open_recording(path));
    Part part;
    std::map<std::string, int> count;
    for (const Topic& topic : recording->topics()) {
      const int number = count[topic.name]++;
      const auto [place, is_new] = known.emplace(
          std::tuple(topic.name, topic.type, topic.encoding, topic.schema, number), topics_.size());
      part.topics.push_back(place->second);
      if (!is_new) continue;
      topics_.push_back(topic);
      definition_bytes += topic.schema.size();
      if (definition_bytes > kMostMergedDefinitions)
        return Error{
            path,
            fmt::format("the type definitions of the files up to this one take more than {} MB",
                        kMostMergedDefinitions >> 20),
            "name fewer files at once, or keep the topics that are needed: mcap filter, ros2 bag convert"};
    }
    recording->forget_definitions();
    losses_.insert(losses_.end(), recording->losses().begin(), recording->losses().end());
    files_.insert(files_.end(), recording->files().begin(), recording->files().end());
    part.recording = std::move(recording);
    parts_.push_back(std::move(part));
  }
  return Done{};
}

void Merged::select(std::vector<bool> wanted) {
  for (Part& part : parts_) {
    std::vector<bool> own;
    for (const std::size_t topic : part.topics) own.push_back(wanted[topic]);
    part.recording->select(std::move(own));
  }
  wanted_ = std::move(wanted);
}

Result<Done> Merged::rewind() {
  last_ = nullptr;
  for (Part& part : parts_) {
    HEFT_CHECK(part.recording->rewind());
    part.has_begun = part.has_ended = part.has_message = false;
  }
  return Done{};
}

// The parts that start last; a bag may be split into hundreds.
void Merged::skip_to_end() {
  constexpr std::size_t kLastParts = 4;
  last_ = nullptr;
  std::vector<Part*> order;
  for (Part& part : parts_) order.push_back(&part);
  std::sort(order.begin(), order.end(), [](const Part* a, const Part* b) {
    return a->recording->start_time() > b->recording->start_time();
  });
  for (std::size_t k = 0; k < order.size(); ++k) {
    Part& part = *order[k];
    part.has_begun = part.has_ended = k >= kLastParts;
    part.has_message = false;
    if (!part.has_ended) part.recording->skip_to_end();
  }
}

Result<Done> Merged::advance(Part& part) {
  HEFT_TRY(found, part.recording->next(part.message));
  part.has_begun = true;
  part.has_ended = !found;
  return Done{};
}

// Opens a file when its first message may be next.
Result<bool> Merged::next(Message& message) {
  if (last_ != nullptr) HEFT_CHECK(advance(*std::exchange(last_, nullptr)));
  for (;;) {
    Part* first = nullptr;
    for (Part& part : parts_)
      if (!part.has_ended && (first == nullptr || part.time() < first->time())) first = &part;
    if (first == nullptr) return false;
    if (!first->has_begun) {
      HEFT_CHECK(advance(*first));
      continue;
    }
    message = first->message;
    message.topic = first->topics[first->message.topic];
    last_ = first;
    return true;
  }
}

double Merged::fraction_read() const {
  double sum = 0;
  for (const Part& part : parts_)
    sum += part.has_ended ? 1 : part.has_begun ? part.recording->fraction_read() : 0;
  return sum / static_cast<double>(parts_.size());
}

double Merged::disk_seconds() const {
  double sum = 0;
  for (const Part& part : parts_) sum += part.recording->disk_seconds();
  return sum;
}

}  // namespace

// If no listed file exists, the recordings were renamed and the list does not apply.
Result<std::vector<std::string>> files_of_folder(const std::string& path) {
  const fs::path folder(path);
  std::error_code failure;
  std::vector<std::string> names = listed_files(folder / kMetadata), missing;
  for (std::string& name : names) {
    const bool is_unpacked =
        name.ends_with(kCompressed) && !fs::exists(folder / name, failure) &&
        fs::exists(folder / name.substr(0, name.size() - kCompressed.size()), failure);
    if (is_unpacked) name.resize(name.size() - kCompressed.size());
    if (!fs::exists(folder / name, failure) &&
        fs::exists(folder / (name + std::string(kCompressed)), failure))
      name += kCompressed;
    if (!fs::is_regular_file(folder / name, failure)) missing.push_back(name);
  }
  if (!missing.empty() && missing.size() < names.size())
    return Error{
        (folder / kMetadata).string(),
        fmt::format("lists '{}', which is not in the folder", readable(missing.front())),
        "copy that file there too; or remove metadata.yaml to read all recordings in the folder"};
  if (!missing.empty() || names.empty()) names = recordings_in(folder);
  if (names.empty())
    return Error{path, "is a folder without recordings (.mcap, .db3)",
                 "name a bag folder, or a file"};
  for (std::string& name : names) name = (folder / name).string();
  return names;
}

bool is_compressed_recording(const std::string& path) {
  return path.ends_with(".mcap.zstd") || path.ends_with(".db3.zstd");
}

bool is_bag_folder(const std::string& path) {
  std::error_code failure;
  return fs::is_directory(path, failure) &&
         (!recordings_in(path).empty() || fs::exists(fs::path(path) / kMetadata, failure));
}

Result<RecordingPtr> open_folder(const std::string& path) {
  HEFT_TRY(files, files_of_folder(path));
  if (files.size() == 1) return open_recording(files.front());
  auto merged = std::make_unique<Merged>();
  HEFT_CHECK(merged->open(files));
  return RecordingPtr(std::move(merged));
}

}  // namespace heft::bags
