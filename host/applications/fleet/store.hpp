// Store of a fleet: a folder of pieces addressed by their inputs. A piece is written to a temporary
// file, flushed to disk and renamed; if the name exists, another writer has done the work.
// Processes may therefore be killed at any time, and any number may run concurrently. Digests and
// owners of logs are notes, which are written in place.
//
//   DIR/heft-fleet-store        format of the store
//   DIR/leaves/ab/KEY.heft      moments of one log
//   DIR/nodes/ab/KEY.heft       sums of two subtrees of a robot's trie
//   DIR/priors/ab/KEY.json     population prior of a robot with fleet.prior
//   DIR/answers/ab/KEY          record of one robot's answer
//   DIR/digests/a/PATH-KEY      SHA-256 of a log, by its path and then by size, inode and time
//                               stamp, so that the log need not be reread
//   DIR/owners/a/SHA            id of the first robot to which a log was assigned
//   DIR/failures/ab/KEY         why the piece is missing; deleted once it exists
//   DIR/results/ID/..           views of answers, as heft identify writes them; DIR/fleet.json,
//                               fleet.csv, fleet.html
//   DIR/options                 options of these results; DIR/results-OPTIONS: results under
//                               other options
//   DIR/looks                   state of completed robots for the next run
//                               (previous_run.hpp)
//   DIR/events.jsonl            log of events, one per line
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "fleet/run.hpp"
#include "heft/base/result.hpp"

namespace heft {

inline constexpr int kFleetStoreFormat = 1;
/// Length of the key prefix that names folders of notes: there are many notes, and a new folder
/// costs as much as eight of them.
inline constexpr std::size_t kDigitsOfNotes = 1;

class FleetStore {
 public:
  enum class Kind { leaf, node, prior, answer, digest, owner, failure };

  /// Opens a store, or creates one in an empty or missing folder. Errors: a folder with other
  /// content, a store of another format, a store inside a store, a folder that is not writable.
  static Result<FleetStore> open(const std::string& folder, StoreUse use);

  const std::string& folder() const { return folder_; }
  /// Returns DIR/name.
  std::string path(const std::string& name) const;
  /// Returns the path of a piece, whether or not it exists.
  std::string path(Kind kind, const std::string& key) const;
  /// An empty note counts as missing.
  bool has(Kind kind, const std::string& key) const;
  /// Calls `see` with the key of every piece of a kind.
  void for_each_key(Kind kind, const std::function<void(const std::string&)>& see) const;

  /// Moves a finished file `temporary` (from aside()) to the name of the piece, after flushing it
  /// to disk; deletes `temporary` if the piece exists. Errors: a full or locked disk.
  Result<Done> put(Kind kind, const std::string& key, const std::string& temporary) const;
  Result<Done> put_text(Kind kind, const std::string& key, const std::string& text) const;
  /// Writes a line that can be recomputed from its log, without waiting for the disk; a note lost
  /// in a crash is empty and counts as missing. A second writer keeps the existing note.
  Result<Done> put_note(Kind kind, const std::string& key, const std::string& text) const;
  /// Writes text with its digest in a separate line.
  Result<Done> put_sealed(Kind kind, const std::string& key, const std::string& text) const;

  /// Moves away a piece whose content does not match its name, so that it is made again.
  void put_aside(Kind kind, const std::string& key) const;

  /// Replaces a failure; ignores write errors. An empty text deletes it.
  void set_failure(const std::string& key, const std::string& text) const;

  /// Returns the name of a temporary file, in a folder that gc empties.
  std::string aside(const std::string& suffix) const;

  /// Returns the text of a small piece; empty if it is missing or unreadable.
  std::optional<std::string> text(Kind kind, const std::string& key) const;
  /// Returns the text given to put_sealed(); empty if it is damaged.
  std::optional<std::string> sealed_text(Kind kind, const std::string& key) const;

  /// Appends to events.jsonl in one write, with the time. Ignores write errors: no decision depends
  /// on events.
  void note(const std::string& event, nlohmann::ordered_json what) const;

 private:
  explicit FleetStore(std::string folder) : folder_(std::move(folder)) {}

  std::string folder_;
};

/// Returns the folder of a robot's results below results/: the id if it is a plain name, otherwise
/// its bytes encoded as in URLs. No id can escape results/.
std::string folder_name_of(const std::string& robot_id);

}  // namespace heft
