// Where a fleet lies: a folder whose pieces are addressed by what they were made of. A piece is
// written aside, brought to the disk and given its name, which must be free: a second writer finds
// the work done. So drivers, workers and runs may be killed at any moment, and be many. Digests and
// owners of logs are notes, which are written in place.
//
//   DIR/heft-fleet-store        format of the store
//   DIR/leaves/ab/KEY.heft      moments of one log
//   DIR/nodes/ab/KEY.heft       sums of two subtrees of a robot's trie
//   DIR/priors/ab/KEY.json     the population prior of a robot, where fleet.prior asks for that
//   DIR/answers/ab/KEY          what the fleet needs to know of one robot's answer
//   DIR/digests/a/PATH-KEY      SHA-256 of a log, by its path and then by size, inode and time
//                               stamp: spares reading it to know it
//   DIR/owners/a/SHA            id of the robot that a log was first said to be of
//   DIR/failures/ab/KEY         why there is no such piece yet; goes when there is
//   DIR/results/ID/..           views of answers, as heft identify leaves them; DIR/fleet.json,
//                               fleet.csv, fleet.html
//   DIR/options                 under which options they are; DIR/results-OPTIONS: those under
//                               others, put aside
//   DIR/looks                   of robots that were done, what the next run may go by
//                               (previous_run.hpp)
//   DIR/events.jsonl            what happened, a line each
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "fleet/run.hpp"
#include "heft/base/result.hpp"

namespace heft {

inline constexpr int kFleetStoreFormat = 1;
/// Of their keys, what folders of notes are called by: there are many notes, and a new folder costs
/// as much as eight of them.
inline constexpr std::size_t kDigitsOfNotes = 1;

class FleetStore {
 public:
  enum class Kind { leaf, node, prior, answer, digest, owner, failure };

  /// Opens a store; where there is none, makes it in an empty or missing folder. Errors: a folder
  /// with other things in it, a store of another format, a store inside a store, a folder that may
  /// not be written.
  static Result<FleetStore> open(const std::string& folder, StoreUse use);

  const std::string& folder() const { return folder_; }
  /// DIR/name
  std::string path(const std::string& name) const;
  /// Of a piece, whether it is there or not.
  std::string path(Kind kind, const std::string& key) const;
  /// An empty note is none.
  bool has(Kind kind, const std::string& key) const;
  /// Calls `see` with the key of every piece of a kind.
  void for_each_key(Kind kind, const std::function<void(const std::string&)>& see) const;

  /// Gives a finished file at `temporary` (of aside()) the name of the piece; if another has it,
  /// `temporary` goes. The file is brought to the disk first. Errors: a full or locked disk.
  Result<Done> put(Kind kind, const std::string& key, const std::string& temporary) const;
  Result<Done> put_text(Kind kind, const std::string& key, const std::string& text) const;
  /// A line that can be found again at the price of a look at its log, so that no one waits for the
  /// disk: one that lost it has an empty note, which does not count. A second writer leaves what is
  /// there.
  Result<Done> put_note(Kind kind, const std::string& key, const std::string& text) const;
  /// A text with its digest in a line of its own.
  Result<Done> put_sealed(Kind kind, const std::string& key, const std::string& text) const;

  /// A piece that is not what its name says goes out of the way, so that it is made again.
  void put_aside(Kind kind, const std::string& key) const;

  /// Writes a failure over the one before; what cannot be written is lost. An empty text takes it
  /// away.
  void set_failure(const std::string& key, const std::string& text) const;

  /// A name for a file that becomes a piece, in a folder of its own that gc empties.
  std::string aside(const std::string& suffix) const;

  /// The text of a small piece; none if it is not there or cannot be read.
  std::optional<std::string> text(Kind kind, const std::string& key) const;
  /// The text that put_sealed() was given; none if it is not as it was written.
  std::optional<std::string> sealed_text(Kind kind, const std::string& key) const;

  /// Appends to events.jsonl, in one write, with the time. What cannot be written is lost: events
  /// decide nothing.
  void note(const std::string& event, nlohmann::ordered_json what) const;

 private:
  explicit FleetStore(std::string folder) : folder_(std::move(folder)) {}

  std::string folder_;
};

/// Folder of a robot's results below results/: the id where it is a plain name, else its bytes as
/// in URLs. Nothing that an id may say leaves results/.
std::string folder_name_of(const std::string& robot_id);

}  // namespace heft
