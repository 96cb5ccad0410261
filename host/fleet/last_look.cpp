#include "last_look.hpp"

#include <fmt/format.h>

#include <sstream>
#include <utility>

#include "files/sha256.hpp"
#include "files/whole_file.hpp"

namespace heft {

namespace {

constexpr const char* kName = "looks";
constexpr const char* kMagic = "heft-fleet-looks-1";
constexpr char kNote = '@';  // before the key of one

}  // namespace

LastLook LastLook::read(const FleetStore& store) {
  LastLook last;
  const auto text = read_file_whole(store.path(kName));
  const std::size_t end = text ? text->rfind('\n', text->size() - 2) : std::string::npos;
  if (end == std::string::npos || text->substr(end + 1) != sha256_of(text->substr(0, end + 1)) + "\n")
    return last;
  std::istringstream lines(text->substr(0, end + 1));
  std::string line;
  if (!std::getline(lines, line) || line != kMagic) return last;
  while (std::getline(lines, line)) {
    std::istringstream words(line);
    std::string fingerprint, key;
    RobotPieces pieces;
    words >> fingerprint >> pieces.answer_key;
    while (words >> key) (key.starts_with(kNote) ? pieces.note_keys : pieces.leaf_keys).push_back(key);
    for (std::string& note : pieces.note_keys) note.erase(0, 1);
    last.add(fingerprint, std::move(pieces));
  }
  return last;
}

void LastLook::write(const FleetStore& store) const {
  std::string text = std::string(kMagic) + "\n";
  for (const auto& [fingerprint, pieces] : looks_) {
    text += fingerprint + " " + pieces.answer_key;
    for (const std::string& key : pieces.leaf_keys) text += " " + key;
    for (const std::string& key : pieces.note_keys) text += std::string(" ") + kNote + key;
    text += "\n";
  }
  text += sha256_of(text) + "\n";
  (void)write_file_whole(store.path(kName), text).ok();
}

const RobotPieces* LastLook::of(const std::string& fingerprint) const {
  const auto found = looks_.find(fingerprint);
  return found == looks_.end() ? nullptr : &found->second;
}

std::string fingerprint_of(const FleetRobot& robot, const FleetPlan& plan, const RobotSetup& setup,
                           const std::vector<std::string>& accepted,
                           const std::function<std::string(const std::string& log)>& stamp_of) {
  std::string text = robot.id + "\n" + setup.leaf_text + setup.answer_text;
  for (const std::string& id : accepted) text += "accepted " + id + "\n";
  for (const auto* rows : {&robot.training, &robot.validation})
    for (const std::size_t index : *rows) {
      const FleetRow& row = plan.manifest.rows[index];
      const std::string stamp = stamp_of(row.log);
      if (stamp.empty()) return {};
      text += fmt::format("{} {} {} {} {}{}\n{}", row.validates, row.log, row.format, row.sha256,
                          row.recorded, window_text(row), stamp);
    }
  return sha256_of(text);
}

}  // namespace heft
