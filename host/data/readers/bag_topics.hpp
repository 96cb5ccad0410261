// Topics of a recording as groups of columns: the numbers in their messages, their clock, and which
// columns are positions, velocities and torques of joints.
//
// A column is named "/ft.wrench.force.x", "/arm.data.0" or "/joint_states.position.elbow". Columns
// selected by log.topics, or of the only topic of joint states, are named q_elbow, qd_elbow and
// tau_elbow instead, or q1, q2, .. for arrays without names.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "bags/decoder.hpp"
#include "bags/recording.hpp"
#include "heft/base/result.hpp"
#include "heft/log/source.hpp"

namespace heft {

/// A channel of the recording: its decoder, and the content of its first messages.
struct BagChannel {
  std::unique_ptr<bags::Decoder> decoder;  ///< null if it cannot be decoded
  Error error;                             ///< reason
  int stream = -1;
  std::vector<int> leaf;  ///< of the stream, by index of the decoder's leaf
  std::int64_t num_probed = 0;
  std::int64_t first_time = 0, last_time = 0;  ///< [ns] log time of the probed messages
  double first_stamp = 0;                      ///< [s] of the header
  bool has_stamps = false;                     ///< headers have stamps
};

/// Channels of one topic. Joint names that never occur in the same message belong to different
/// senders, called parts.
struct BagStream {
  std::string name;
  std::string type;
  std::vector<std::size_t> channels;
  std::vector<bags::Path> leaves;
  std::map<std::string, int> part_of_label;
  int num_parts = 1;  ///< the part with the most messages is first
  std::int64_t num_probed = 0;
  double rate_hz = 0;
};

struct BagGroup {
  int stream = 0, part = 0;
  std::vector<int> leaves;  ///< leaves of the group's columns, except for its clock, which comes
                            ///< first
};

enum class BagStamp { header, publish, log };

inline constexpr std::array<const char*, 3> kRoleNames = {"position", "velocity", "torque"};

struct BagTopics {
  bags::RecordingPtr recording;
  std::vector<BagChannel> channels;
  std::vector<BagStream> streams;
  std::vector<ColumnGroup> columns;  ///< of the source
  std::vector<BagGroup> groups;      ///< same order
  BagStamp stamp = BagStamp::log;
  std::array<std::vector<std::string>, 3> roles;  ///< equivalent value of log.topics, by role
};

/// Returns the time of a header [ns], clamped to valid times since 1970.
inline std::int64_t header_time(double seconds, double nanoseconds) {
  constexpr double kLastSecond = 9.2e9;  // limit at which nanoseconds fit 64 bits
  constexpr double kSecondsOfNanoseconds = 4294967295.0;
  const auto within = [](double value, double last) {
    return value > 0 ? std::min(value, last) : 0.0;
  };
  constexpr std::int64_t kNanoseconds = 1'000'000'000;
  return static_cast<std::int64_t>(within(seconds, kLastSecond)) * kNanoseconds +
         static_cast<std::int64_t>(within(nanoseconds, kSecondsOfNanoseconds));
}

/// Describes the unread ends of truncated files.
std::vector<std::string> words_of_losses(const bags::Recording& recording);

/// Opens a recording, reads its first messages and makes columns. Errors: those of the recording,
/// names in log.topics that it lacks, a role that several topics could have.
Result<BagTopics> open_bag_topics(const std::string& path, const LogFormat& format);

/// Does the same without roles and columns, to describe the content.
Result<BagTopics> probe_bag(const std::string& path, const LogFormat& format);

}  // namespace heft
