// The topics of a recording as groups of columns: which numbers their messages hold, by which
// clock, and which of them are positions, velocities and torques of joints.
//
// A column is "/ft.wrench.force.x", "/arm.data.0" or "/joint_states.position.elbow". Those that
// log.topics names, or else those of the only topic of joint states, are q_elbow, qd_elbow and
// tau_elbow instead, of arrays without names q1, q2, ..
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

/// A channel of the recording: how it is decoded, and what its first messages show.
struct BagChannel {
  std::unique_ptr<bags::Decoder> decoder;  ///< null where it cannot be decoded
  Error error;                             ///< why
  int stream = -1;
  std::vector<int> leaf;  ///< of the stream, by the decoder's leaf
  std::int64_t num_probed = 0;
  std::int64_t first_time = 0, last_time = 0;  ///< [ns] log time, of those probed
  double first_stamp = 0;                      ///< [s] of the header
  bool has_stamps = false;                     ///< headers have stamps
};

/// Channels of one topic. Names of joints that never stand in one message together are of different
/// senders: parts.
struct BagStream {
  std::string name;
  std::string type;
  std::vector<std::size_t> channels;
  std::vector<bags::Path> leaves;
  std::map<std::string, int> part_of_label;
  int num_parts = 1;  ///< the one of most messages is the first
  std::int64_t num_probed = 0;
  double rate_hz = 0;
};

struct BagGroup {
  int stream = 0, part = 0;
  std::vector<int> leaves;  ///< of the group's columns but for its clock, which is the first
};

enum class BagStamp { header, publish, log };

inline constexpr std::array<const char*, 3> kRoleNames = {"position", "velocity", "torque"};

struct BagTopics {
  bags::RecordingPtr recording;
  std::vector<BagChannel> channels;
  std::vector<BagStream> streams;
  std::vector<ColumnGroup> columns;  ///< of the source
  std::vector<BagGroup> groups;      ///< beside them
  BagStamp stamp = BagStamp::log;
  std::array<std::vector<std::string>, 3> roles;  ///< what log.topics would say, by role
};

/// The time of a header [ns]; what is no time since 1970 becomes the nearest one that is.
inline std::int64_t header_time(double seconds, double nanoseconds) {
  constexpr double kLastSecond = 9.2e9;  // whose nanoseconds are a 64-bit number
  constexpr double kSecondsOfNanoseconds = 4294967295.0;
  const auto within = [](double value, double last) {
    return value > 0 ? std::min(value, last) : 0.0;
  };
  constexpr std::int64_t kNanoseconds = 1'000'000'000;
  return static_cast<std::int64_t>(within(seconds, kLastSecond)) * kNanoseconds +
         static_cast<std::int64_t>(within(nanoseconds, kSecondsOfNanoseconds));
}

/// What of its files that break off is not read, in words.
std::vector<std::string> words_of_losses(const bags::Recording& recording);

/// Opens a recording, reads its first messages and makes columns. Errors: besides those of the
/// recording, names in log.topics that it doesn't hold, a role that several topics may have.
Result<BagTopics> open_bag_topics(const std::string& path, const LogFormat& format);

/// The same without roles and columns, for a description of what there is.
Result<BagTopics> probe_bag(const std::string& path, const LogFormat& format);

}  // namespace heft
