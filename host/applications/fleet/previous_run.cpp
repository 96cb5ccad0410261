#include "previous_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "files/sha256.hpp"
#include "files/whole_file.hpp"

namespace heft {

namespace {

constexpr const char* kName = "looks";
constexpr const char* kMagic = "heft-fleet-looks-2";
constexpr char kNote = '@', kResult = '=';  // before the key of one; before the stamp of one

/// Returns and removes the text before `mark`, and the mark; all of it without a mark.
std::string_view until(std::string_view& text, char mark) {
  const std::string_view first = text.substr(0, text.find(mark));
  text.remove_prefix(std::min(text.size(), first.size() + 1));
  return first;
}

}  // namespace

LastLook LastLook::read(const FleetStore& store) {
  LastLook last;
  const auto text = read_file_whole(store.path(kName));
  const std::size_t end = text ? text->rfind('\n', text->size() - 2) : std::string::npos;
  if (end == std::string::npos) return last;
  std::string_view lines = std::string_view(*text).substr(0, end + 1);
  if (text->substr(end + 1) != sha256_of(lines) + "\n") return last;
  if (until(lines, '\n') != kMagic) return last;
  while (!lines.empty()) {
    std::string_view words = until(lines, '\n');
    const std::string fingerprint(until(words, ' '));
    RobotPieces pieces{.answer_key = std::string(until(words, ' '))};
    while (!words.empty()) {
      const std::string_view key = until(words, ' ');
      if (key.starts_with(kNote))
        pieces.note_keys.emplace_back(key.substr(1));
      else if (key.starts_with(kResult))
        pieces.result_stamps.emplace_back(key.substr(1));
      else
        pieces.leaf_keys.emplace_back(key);
    }
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
    for (const std::string& stamp : pieces.result_stamps)
      text += std::string(" ") + kResult + stamp;
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
                           const FleetOptions& options,
                           const std::function<std::string(std::size_t row)>& stamp_of) {
  std::string text = robot.id + "\n" + setup.leaf_text + setup.answer_text;
  text += options.writes_pages ? "with pages\n" : "";
  for (const std::string& id : options.accepted) text += "accepted " + id + "\n";
  for (const auto* rows : {&robot.training, &robot.validation})
    for (const std::size_t index : *rows) {
      const FleetRow& row = plan.manifest.rows[index];
      const std::string stamp = stamp_of(index);
      if (stamp.empty()) return {};
      text += fmt::format("{} {} {} {} {}{}\n{}", row.validates, row.log, row.format, row.sha256,
                          row.recorded, window_text(row), stamp);
    }
  return sha256_of(text);
}

}  // namespace heft
