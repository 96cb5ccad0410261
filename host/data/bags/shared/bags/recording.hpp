// Recordings of messages: MCAP files, ROS 2 bag databases and bag folders, read as one stream of
// messages in the order of their log time.
//
//   file or folder -> Recording: topics, messages -> Decoder (bags/decoder.hpp): numbers of the
//   fields
//
// Readers are bounded: a length, a size or a count in a file is checked before memory is allocated
// for it.
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

/// A channel of a recording. Two publishers of one topic may be two channels of one name.
struct Topic {
  std::string name;             ///< "/joint_states"
  std::string type;             ///< "sensor_msgs/msg/JointState"
  std::string encoding;         ///< of messages: "cdr", "ros1", "json", "protobuf", ..
  std::string schema_encoding;  ///< "ros2msg", "ros2idl", "ros1msg", "jsonschema", ..
  std::string schema;           ///< text of the type's definition; may be empty
  std::string publisher;        ///< what tells channels of one topic apart: "channel 3"
};

struct Message {
  std::size_t topic = 0;          ///< index in Recording::topics()
  std::int64_t log_time = 0;      ///< [ns] when it was received
  std::int64_t publish_time = 0;  ///< [ns] when it was sent
  std::string_view data;          ///< valid until the next call of next()
};

/// The part of a file that breaks off which cannot be read.
struct Loss {
  std::string file;
  std::uint64_t bytes = 0;  ///< behind the last complete record
  double seconds = 0;       ///< that the incomplete chunk says it spans; 0: unknown
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
  const std::vector<std::string>& files() const {
    return files_;
  }  ///< whose bytes were read, in order

  /// Frees the texts of definitions, which decoders need, but not readers of messages.
  void forget_definitions() {
    for (Topic& topic : topics_) topic.schema = std::string();
  }
  /// Only messages of these topics are handed out (a flag per topic). Call it before next().
  virtual void select(std::vector<bool> wanted) { wanted_ = std::move(wanted); }
  /// The next message in the order of log time; false at the end. Errors: damaged or unreadable
  /// data, with its place.
  virtual Result<bool> next(Message& message) = 0;
  virtual Result<Done> rewind() = 0;            ///< the first message comes next
  virtual std::int64_t start_time() const = 0;  ///< [ns] no message is earlier
  virtual double fraction_read() const = 0;
  virtual double disk_seconds() const { return 0; }

 protected:
  bool is_wanted(std::size_t topic) const { return wanted_.empty() || wanted_[topic]; }

  std::vector<Topic> topics_;
  std::vector<Loss> losses_;
  std::vector<std::string> files_;
  std::vector<bool> wanted_;
};

using RecordingPtr = std::unique_ptr<Recording>;

inline constexpr std::string_view kMcapMagic = "\x89MCAP0\r\n";
inline constexpr std::string_view kSqliteMagic{"SQLite format 3\0", 16};

/// A file (MCAP or an SQLite database of ROS 2, also compressed as a whole) or a bag folder.
Result<RecordingPtr> open_recording(const std::string& path);

Result<RecordingPtr> open_mcap(const std::string& path);
Result<RecordingPtr> open_db3(const std::string& path);
/// Recordings in a folder: those that its metadata.yaml lists, or all.
Result<RecordingPtr> open_folder(const std::string& path);

/// Whether a folder holds recordings.
bool is_bag_folder(const std::string& path);
/// Whether a path is named as a recording that is compressed as a whole: ".mcap.zstd", ".db3.zstd".
bool is_compressed_recording(const std::string& path);

}  // namespace heft::bags
#pragma GCC visibility pop
