// Recordings of messages: MCAP files, ROS 2 bag databases and bag folders, read as one stream of
// messages in the order of their log time.
//
//   file or folder -> Recording: topics, messages -> Decoder (bags/decoder.hpp): numbers of the
//   fields
//
// Readers have bounded memory: lengths, sizes and counts in a file are checked before memory is
// allocated for them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "heft/base/result.hpp"

#pragma GCC visibility push(default)
namespace heft::bags {

/// A channel of a recording. Two publishers of one topic may be two channels with the same name.
struct Topic {
  std::string name;             ///< "/joint_states"
  std::string type;             ///< "sensor_msgs/msg/JointState"
  std::string encoding;         ///< of the messages: "cdr", "ros1", "json", "protobuf", ..
  std::string schema_encoding;  ///< "ros2msg", "ros2idl", "ros1msg", "jsonschema", ..
  std::string schema;           ///< definition of the type; may be empty
  std::string publisher;        ///< distinguishes channels of one topic: "channel 3"
};

/// One message with its times.
struct Message {
  std::size_t topic = 0;          ///< index in Recording::topics()
  std::int64_t log_time = 0;      ///< time of reception [ns]
  std::int64_t publish_time = 0;  ///< time of sending [ns]
  std::string_view data;          ///< valid until the next call of next()
};

/// The unreadable end of a truncated file.
struct Loss {
  std::string file;
  std::uint64_t bytes = 0;  ///< after the last complete record
  double seconds = 0;       ///< time span stated by the incomplete chunk; 0: unknown
};

/// One pass over the messages of a recording.
class Recording {
 public:
  Recording() = default;
  virtual ~Recording() = default;
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;

  const std::vector<Topic>& topics() const { return topics_; }
  const std::vector<Loss>& losses() const { return losses_; }
  /// Returns the files whose bytes were read, in order.
  const std::vector<std::string>& files() const { return files_; }

  /// Frees the schema texts, which only decoders need.
  void forget_definitions() {
    for (Topic& topic : topics_) topic.schema = std::string();
  }
  /// Restricts next() to messages of these topics (a flag per topic). Must be called before next().
  virtual void select(std::vector<bool> wanted) { wanted_ = std::move(wanted); }
  /// Reads the next message in the order of log time; returns false at the end. Error: damaged or
  /// unreadable data, with their place.
  virtual Result<bool> next(Message& message) = 0;
  virtual Result<Done> rewind() = 0;  ///< starts again with the first message
  virtual void skip_to_end() = 0;     ///< goes on with some of the last messages, at least one
  virtual std::int64_t start_time() const = 0;  ///< lower bound of all log times [ns]
  virtual double fraction_read() const = 0;
  virtual double disk_seconds() const { return 0; }

 protected:
  bool is_wanted(std::size_t topic) const { return wanted_.empty() || wanted_[topic]; }

  std::vector<Topic> topics_;
  std::vector<Loss> losses_;
  std::vector<std::string> files_;
  std::vector<bool> wanted_;
};

/// An owning pointer to a recording.
using RecordingPtr = std::unique_ptr<Recording>;

inline constexpr std::string_view kMcapMagic = "\x89MCAP0\r\n";
inline constexpr std::string_view kSqliteMagic{"SQLite format 3\0", 16};

/// Opens a file (MCAP or an SQLite database of ROS 2, possibly compressed as a whole) or a bag
/// folder.
Result<RecordingPtr> open_recording(const std::string& path);

Result<RecordingPtr> open_mcap(const std::string& path);
Result<RecordingPtr> open_db3(const std::string& path);
/// Opens the recordings in a folder: those listed in its metadata.yaml, or all.
Result<RecordingPtr> open_folder(const std::string& path);

/// Returns the paths of those recordings, in the order of their names or of the list. Errors: a
/// listed file is missing; there are no recordings.
Result<std::vector<std::string>> files_of_folder(const std::string& path);

/// Returns whether a folder contains recordings.
bool is_bag_folder(const std::string& path);
/// Returns whether the name of a path is that of a completely compressed recording: ".mcap.zstd",
/// ".db3.zstd".
bool is_compressed_recording(const std::string& path);

}  // namespace heft::bags
#pragma GCC visibility pop
