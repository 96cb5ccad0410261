// Decodes numbers from messages according to the schema in the same file.
//
// A leaf is a number of a message, identified by its path: "wrench.force.x", "data.0" or
// "position.elbow". Array elements are labeled by the neighboring array of names (name,
// joint_names, interface_names, ..) if both have the same length, otherwise by their index from 0.
// The set of elements depends on the messages: discover() adds leaves, select() chooses those that
// read() returns.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "bags/recording.hpp"
#include "heft/base/result.hpp"

#pragma GCC visibility push(default)
namespace heft::bags {

/// A step of the path from a message to a number: a field name, the label of an array element, or
/// its index.
struct Step {
  enum class Kind { field, label, index };
  Kind kind = Kind::field;
  std::string text;  ///< for an index, its digits
  bool operator==(const Step&) const = default;
};

using Path = std::vector<Step>;

/// Returns "position.elbow"; in brackets: "position[elbow]".
std::string path_text(const Path& path, bool in_brackets = false);

struct LeafNode;

/// Decodes the messages of one topic.
class Decoder {
 public:
  /// Makes the decoder of a topic. Errors: an unreadable schema, an unsupported encoding (the
  /// message names a program that converts it).
  static Result<std::unique_ptr<Decoder>> make(const Topic& topic);
  Decoder();
  virtual ~Decoder();

  const std::vector<Path>& leaves() const { return leaves_; }
  /// Leaves with seconds and nanoseconds of the header's stamp (or of a stamp field); -1: the type
  /// has no stamp.
  int stamp_seconds() const { return stamp_seconds_; }
  int stamp_nanoseconds() const { return stamp_nanoseconds_; }
  /// Names in the message that was last read or discovered, and a number that changes with them.
  const std::vector<std::string>& labels() const { return labels_; }
  std::uint64_t labels_version() const { return labels_version_; }

  /// Adds the leaves of a message. Error: data that do not match the schema.
  virtual Result<Done> discover(std::string_view data) = 0;
  /// Selects the leaves that read() returns, in the order of its numbers. discover() resets the
  /// selection.
  virtual void select(const std::vector<int>& leaves);
  /// Writes one number per selected leaf; NaN if the message lacks it. Error: data that do not
  /// match the schema.
  virtual Result<Done> read(std::string_view data, double* numbers) = 0;

 protected:
  /// Adds a leaf unless it exists; returns false if there are too many.
  bool add_leaf(const Path& path);
  void find_stamp();
  /// Sets the labels of the current message, which may be unchanged.
  void keep_labels(std::vector<std::string> labels);

  std::vector<Path> leaves_;
  std::unordered_map<std::string, int> known_;  ///< path of a leaf as text -> its index
  std::vector<std::string> labels_;
  std::uint64_t labels_version_ = 0;
  int stamp_seconds_ = -1, stamp_nanoseconds_ = -1;
  std::unique_ptr<LeafNode> tree_;  ///< of the selected leaves
  std::size_t num_selected_ = 0;
};

}  // namespace heft::bags
#pragma GCC visibility pop
