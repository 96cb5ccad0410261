// Reads the SQLite databases that rosbag2 records.
#include "bags/recording.hpp"
#include "unpack.hpp"

#ifdef HEFT_HAS_SQLITE3

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "base/readable_text.hpp"

namespace heft::bags {

namespace {

constexpr int kLargestValue = 1 << 28;  ///< [byte]
constexpr std::size_t kMaxTopics = 1 << 16;
constexpr std::size_t kMostDatabaseDefinitions = std::size_t{1} << 26;  ///< [byte] of all topics

constexpr const char* kAtEnd = " AND id > (SELECT max(id) - 2000 FROM messages)";

struct Close {
  void operator()(sqlite3* base) const { sqlite3_close_v2(base); }
  void operator()(sqlite3_stmt* query) const { sqlite3_finalize(query); }
};
using Query = std::unique_ptr<sqlite3_stmt, Close>;

/// Returns the SQLite URI of an immutable file, so that SQLite creates no files next to it.
std::string immutable_uri(std::string_view path) {
  std::string uri = "file:";
  while (path.starts_with("//")) path.remove_prefix(1);  // which would start a host name
  for (const char c : path) {
    if (c == '?' || c == '#' || c == '%')
      uri += fmt::format("%{:02x}", static_cast<unsigned char>(c));
    else
      uri += c;
  }
  return uri + "?immutable=1";
}

class Database final : public Recording {
 public:
  explicit Database(std::string path) : path_(std::move(path)) {}

  Result<Done> open();
  Result<bool> next(Message& message) override;
  Result<Done> rewind() override {
    messages_.reset();
    num_read_ = 0;
    is_at_end_ = false;
    return Done{};
  }
  void skip_to_end() override {
    messages_.reset();
    is_at_end_ = true;
  }
  std::int64_t start_time() const override { return start_; }
  double fraction_read() const override {
    return num_messages_ > 0 ? static_cast<double>(num_read_) / static_cast<double>(num_messages_)
                             : 1;
  }

 private:
  Error broken() const {
    return {path_, fmt::format("cannot be read: {}", sqlite3_errmsg(base_.get())),
            "copy it again; sqlite3 " + path_ + " .recover saves the intact part"};
  }
  Result<Query> query(const std::string& text) const {
    sqlite3_stmt* made = nullptr;
    if (sqlite3_prepare_v2(base_.get(), text.c_str(), -1, &made, nullptr) != SQLITE_OK)
      return broken();
    return Query(made);
  }
  Error too_many_topics() const {
    return {path_,
            fmt::format("has more than {} topics, or more than {} MB of type definitions",
                        kMaxTopics, kMostDatabaseDefinitions >> 20),
            "keep the topics that are needed: ros2 bag convert"};
  }
  Result<bool> is_table(const char* name) const;
  Result<Done> read_topics();
  Result<Done> read_definitions();
  /// [ns]; a time before 1970, which no recorder writes, is 0.
  static std::int64_t time_of_row(sqlite3_stmt* row, int column) {
    return std::max<std::int64_t>(0, sqlite3_column_int64(row, column));
  }
  static std::string text(sqlite3_stmt* row, int column) {
    const auto* bytes = reinterpret_cast<const char*>(sqlite3_column_text(row, column));
    return bytes == nullptr
               ? ""
               : std::string(bytes, static_cast<std::size_t>(sqlite3_column_bytes(row, column)));
  }

  std::string path_;
  std::unique_ptr<sqlite3, Close> base_;
  std::map<std::int64_t, std::size_t> topic_of_id_;
  Query messages_;
  bool is_at_end_ = false;
  std::int64_t num_messages_ = 0, num_read_ = 0, start_ = 0;
  std::vector<char> unpacked_;
};

Result<Done> Database::open() {
  std::error_code ignored;
  const bool has_journal = std::filesystem::exists(path_ + "-wal", ignored);
  sqlite3* base = nullptr;
  const int flags = SQLITE_OPEN_READONLY | (has_journal ? 0 : SQLITE_OPEN_URI);
  const int opened =
      sqlite3_open_v2((has_journal ? path_ : immutable_uri(path_)).c_str(), &base, flags, nullptr);
  base_.reset(base);
  if (opened != SQLITE_OK) return broken();
  sqlite3_limit(base, SQLITE_LIMIT_LENGTH, kLargestValue);
  sqlite3_db_config(base, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(base, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  files_ = {path_};
  for (const char* table : {"topics", "messages"}) {
    HEFT_TRY(is_there, is_table(table));
    if (!is_there)
      return Error{path_,
                   fmt::format("is an SQLite database without a table '{}', so it is not a ROS 2 "
                               "bag",
                               table),
                   "name a database that ros2 bag record wrote, or write a CSV"};
  }
  HEFT_CHECK(read_topics());
  HEFT_TRY(counts, query("SELECT count(*), min(timestamp) FROM messages"));
  if (sqlite3_step(counts.get()) != SQLITE_ROW) return broken();
  num_messages_ = sqlite3_column_int64(counts.get(), 0);
  start_ = time_of_row(counts.get(), 1);
  return num_messages_ > 0 ? Result<Done>(Done{})
                           : Error{path_, "contains no messages",
                                   "record it again, or check the recorder's topics"};
}

// Only a table is accepted: a view could return endless rows.
Result<bool> Database::is_table(const char* name) const {
  HEFT_TRY(found, query("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?"));
  sqlite3_bind_text(found.get(), 1, name, -1, SQLITE_STATIC);
  const int step = sqlite3_step(found.get());
  if (step != SQLITE_ROW && step != SQLITE_DONE) return broken();
  return step == SQLITE_ROW;
}

Result<Done> Database::read_topics() {
  HEFT_TRY(rows, query("SELECT id, name, type, serialization_format FROM topics ORDER BY id"));
  int step = SQLITE_ROW;
  std::size_t bytes = 0;
  while ((step = sqlite3_step(rows.get())) == SQLITE_ROW) {
    for (int column = 1; column <= 3; ++column)
      bytes += static_cast<std::size_t>(sqlite3_column_bytes(rows.get(), column));
    if (topics_.size() >= kMaxTopics || bytes > kMostDatabaseDefinitions) return too_many_topics();
    Topic topic;
    topic.name = readable(text(rows.get(), 1));
    topic.type = readable(text(rows.get(), 2));
    topic.encoding = readable(text(rows.get(), 3));
    topic.publisher = fmt::format("topic {}", sqlite3_column_int64(rows.get(), 0));
    topic_of_id_[sqlite3_column_int64(rows.get(), 0)] = topics_.size();
    topics_.push_back(std::move(topic));
  }
  if (step != SQLITE_DONE) return broken();
  return read_definitions();
}

Result<Done> Database::read_definitions() {
  HEFT_TRY(is_there, is_table("message_definitions"));
  if (!is_there) return Done{};
  std::multimap<std::string, Topic*> topics_of_type;
  for (Topic& topic : topics_) topics_of_type.emplace(topic.type, &topic);
  HEFT_TRY(
      rows,
      query("SELECT topic_type, encoding, encoded_message_definition FROM message_definitions"));
  std::size_t bytes = 0;
  int step = SQLITE_DONE;
  while ((step = sqlite3_step(rows.get())) == SQLITE_ROW) {
    const auto [begin, end] = topics_of_type.equal_range(readable(text(rows.get(), 0)));
    for (auto place = begin; place != end; ++place) {
      place->second->schema_encoding = text(rows.get(), 1);
      place->second->schema = text(rows.get(), 2);
      bytes += place->second->schema_encoding.size() + place->second->schema.size();
      if (bytes > kMostDatabaseDefinitions) return too_many_topics();
    }
  }
  if (step != SQLITE_DONE) return broken();
  return Done{};
}

Result<bool> Database::next(Message& message) {
  if (!messages_) {
    std::string ids;
    for (const auto& [id, topic] : topic_of_id_)
      if (is_wanted(topic)) ids += (ids.empty() ? "" : ",") + std::to_string(id);
    HEFT_TRY(made, query("SELECT topic_id, timestamp, data FROM messages WHERE topic_id IN (" +
                         ids + ")" + (is_at_end_ ? kAtEnd : "") + " ORDER BY timestamp, id"));
    messages_ = std::move(made);
  }
  for (;;) {
    const int step = sqlite3_step(messages_.get());
    if (step == SQLITE_DONE) return false;
    if (step != SQLITE_ROW) return broken();
    ++num_read_;
    const auto topic = topic_of_id_.find(sqlite3_column_int64(messages_.get(), 0));
    if (topic == topic_of_id_.end()) continue;
    message.topic = topic->second;
    message.log_time = message.publish_time = time_of_row(messages_.get(), 1);
    const auto* bytes = static_cast<const char*>(sqlite3_column_blob(messages_.get(), 2));
    message.data = {bytes == nullptr ? "" : bytes,
                    static_cast<std::size_t>(sqlite3_column_bytes(messages_.get(), 2))};
    HEFT_CHECK(unpack_message(message, path_, unpacked_));
    return true;
  }
}

}  // namespace

Result<RecordingPtr> open_db3(const std::string& path) {
  auto database = std::make_unique<Database>(path);
  HEFT_CHECK(database->open());
  return RecordingPtr(std::move(database));
}

}  // namespace heft::bags

#else

namespace heft::bags {

Result<RecordingPtr> open_db3(const std::string& path) {
  return Error{path, "is an SQLite database, which this program was built without",
               "install libsqlite3-dev and build again, or convert it to MCAP: ros2 bag convert"};
}

}  // namespace heft::bags

#endif
