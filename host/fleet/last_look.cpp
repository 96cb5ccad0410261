#include "last_look.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <iterator>
#include <sstream>
#include <utility>

#include "files/sha256.hpp"
#include "files/whole_file.hpp"

namespace heft {

namespace {

constexpr const char* kName = "looks";
constexpr const char* kMagic = "heft-fleet-looks-1";

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
    std::string sight;
    RobotPieces pieces;
    words >> sight >> pieces.answer_key;
    pieces.leaf_keys.assign(std::istream_iterator<std::string>(words), {});
    last.add(sight, std::move(pieces));
  }
  return last;
}

void LastLook::write(const FleetStore& store) const {
  std::string text = std::string(kMagic) + "\n";
  for (const auto& [sight, pieces] : looks_) {
    text += sight + " " + pieces.answer_key;
    for (const std::string& key : pieces.leaf_keys) text += " " + key;
    text += "\n";
  }
  text += sha256_of(text) + "\n";
  (void)write_file_whole(store.path(kName), text).ok();
}

const RobotPieces* LastLook::of(const std::string& sight) const {
  const auto found = looks_.find(sight);
  return found == looks_.end() ? nullptr : &found->second;
}

std::optional<std::string> sight_of(const FleetRobot& robot, const FleetPlan& plan, const RobotSetup& setup,
                                    const std::vector<std::string>& accepted) {
  std::string text = robot.id + "\n" + setup.leaf_text + setup.answer_text;
  for (const std::string& id : accepted) text += "accepted " + id + "\n";
  for (const auto* rows : {&robot.training, &robot.validation})
    for (const std::size_t index : *rows) {
      const FleetRow& row = plan.manifest.rows[index];
      struct stat facts = {};
      if (::stat(row.log.c_str(), &facts) != 0) return {};
      text += fmt::format("{} {} {} {} {} {} {} {} {}.{:09}{}\n", row.validates, row.log, row.format,
                          row.sha256, row.recorded, facts.st_dev, facts.st_ino, facts.st_size,
                          facts.st_mtim.tv_sec, facts.st_mtim.tv_nsec, window_text(row));
    }
  return sha256_of(text);
}

}  // namespace heft
