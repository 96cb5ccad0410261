// Numbers from messages, by the schema that stands in the same file.
//
// A leaf is a number of a message by its path, "wrench.force.x", "data.0" or "position.elbow".
// Elements of an array have the texts of the array of names beside it (name, joint_names,
// interface_names, ..) where both are equally long, else their index from 0. Which elements there
// are is seen from messages: discover() adds leaves, select() chooses those that read() fills in.
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

/// A step from a message to a number: the name of a field, the label of an array's element, or its
/// index.
struct Step {
  enum class Kind { field, label, index };
  Kind kind = Kind::field;
  std::string text;  ///< of an index its digits
  bool operator==(const Step&) const = default;
};

using Path = std::vector<Step>;

/// "position.elbow"; in brackets: "position[elbow]".
std::string path_text(const Path& path, bool in_brackets = false);

struct LeafNode;

class Decoder {
 public:
  /// Errors: a schema that cannot be read, an encoding that is not supported (with the program that
  /// converts it).
  static Result<std::unique_ptr<Decoder>> make(const Topic& topic);
  Decoder();
  virtual ~Decoder();

  const std::vector<Path>& leaves() const { return leaves_; }
  /// Leaves of seconds and nanoseconds of the header's stamp (or of a stamp field); -1: the type
  /// has no stamp.
  int stamp_seconds() const { return stamp_seconds_; }
  int stamp_nanoseconds() const { return stamp_nanoseconds_; }
  /// Texts of the message's own array of names, of the message last read or discovered; a number
  /// that changes with them.
  const std::vector<std::string>& labels() const { return labels_; }
  std::uint64_t labels_version() const { return labels_version_; }

  /// Adds the leaves of a message. Errors: data that do not fit the schema.
  virtual Result<Done> discover(std::string_view data) = 0;
  /// Which leaves read() fills in, in the order of its numbers. discover() undoes it.
  void select(const std::vector<int>& leaves);
  /// Fills one number per selected leaf, nan where the message lacks it. Errors: data that do not
  /// fit the schema.
  virtual Result<Done> read(std::string_view data, double* numbers) = 0;

 protected:
  /// Adds a leaf unless it is there; false if there are too many.
  bool add_leaf(const Path& path);
  void find_stamp();
  /// The labels of the message at hand, which may be those there were.
  void keep_labels(std::vector<std::string> labels);

  std::vector<Path> leaves_;
  std::unordered_map<std::string, int> known_;  ///< text of a leaf's path -> its index
  std::vector<std::string> labels_;
  std::uint64_t labels_version_ = 0;
  int stamp_seconds_ = -1, stamp_nanoseconds_ = -1;
  std::unique_ptr<LeafNode> tree_;  ///< of the selected leaves
  std::size_t num_selected_ = 0;
};

}  // namespace heft::bags
#pragma GCC visibility pop
