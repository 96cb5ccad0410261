// Proposes manifest rows for logs on a disk.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <set>

#include "bags/recording.hpp"
#include "base/text.hpp"
#include "fleet/manifest.hpp"
#include "readers/log_formats.hpp"

namespace heft {

namespace {

namespace fs = std::filesystem;

constexpr std::array kHeldOutWords = {"held_out", "held-out", "heldout", "validat", "test"};
constexpr int kFoldersAbove = 4;

std::string lower_extension(const fs::path& path) {
  return in_lower_case(path.extension().string());
}

std::vector<std::string> log_endings() {
  std::vector<std::string> endings;
  for (const NamedFormat& format : log_formats())
    endings.insert(endings.end(), format.endings.begin(), format.endings.end());
  return endings;
}

bool is_log(const fs::path& path) {
  const std::vector<std::string> endings = log_endings();
  return std::find(endings.begin(), endings.end(), lower_extension(path)) != endings.end();
}

/// A folder with the files of one recording, as ros2 bag record writes it.
bool is_bag(const fs::path& path) {
  std::error_code failure;
  return fs::exists(path / "metadata.yaml", failure) && bags::is_bag_folder(path.string());
}

/// Files of a folder with one of these endings, by name.
std::vector<fs::path> files_of(const fs::path& folder, const std::set<std::string>& endings) {
  std::vector<fs::path> found;
  std::error_code failure;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, failure))
    if (entry.is_regular_file(failure) && endings.contains(lower_extension(entry.path())))
      found.push_back(entry.path());
  std::sort(found.begin(), found.end());
  return found;
}

/// Returns the only such file of a folder or of its nearest parent that has one; empty if there is
/// none. Error: several files. `last`: topmost folder of the search; empty: a few levels up.
Result<std::string> nearest(const fs::path& folder, const fs::path& last,
                            const std::set<std::string>& endings, const char* what) {
  fs::path at = folder;
  for (int k = 0; k <= kFoldersAbove; ++k, at = at.parent_path()) {
    const std::vector<fs::path> found = files_of(at, endings);
    if (found.size() > 1)
      return Error{
          at.string(),
          fmt::format("has {} {}s, {} and {}", found.size(), what, found[0].filename().string(),
                      found[1].filename().string()),
          "keep one, or write the manifest by hand: robot_id,robot,log,format,config,role"};
    if (found.size() == 1) return found[0].string();
    if (at == last || at == at.parent_path()) break;
  }
  return std::string();
}

Result<Done> collect(const std::string& given, std::set<fs::path>& logs) {
  std::error_code failure;
  const fs::path path = fs::absolute(given).lexically_normal();
  if (is_bag(path)) {
    logs.insert(path);
    return Done{};
  }
  if (fs::is_directory(path, failure)) {
    for (fs::recursive_directory_iterator
             at(path, fs::directory_options::skip_permission_denied, failure),
         end;
         at != end; at.increment(failure)) {
      if (failure)
        return Error{given, "cannot be searched: " + failure.message(),
                     "check the read permission"};
      if (at->is_regular_file(failure) && is_log(at->path())) logs.insert(at->path());
      if (!at->is_directory(failure) || !is_bag(at->path())) continue;
      logs.insert(at->path());
      at.disable_recursion_pending();
    }
    return Done{};
  }
  if (!fs::is_regular_file(path, failure))
    return Error{given, "does not exist or is not a file",
                 "give logs or folders: fleet/*/*.csv, or fleet"};
  if (is_log(path)) logs.insert(path);
  return Done{};
}

}  // namespace

Result<std::vector<FleetRow>> propose_manifest(const std::vector<std::string>& paths) {
  std::set<fs::path> logs;
  for (const std::string& path : paths) HEFT_CHECK(collect(path, logs));
  if (logs.empty())
    return Error{paths.empty() ? "" : paths.front(),
                 fmt::format("no logs found: no file ends in {}", fmt::join(log_endings(), ", ")),
                 "give the folder of the logs"};
  std::set<fs::path> folders;
  for (const fs::path& log : logs) folders.insert(log.parent_path());
  // ids are the parts of the folder paths that differ
  fs::path common = folders.begin()->parent_path();
  for (const fs::path& folder : folders)
    while (folder.lexically_relative(common).string().starts_with(".."))
      common = common.parent_path();

  struct Files {
    std::string robot, config;
  };
  std::map<fs::path, Files> files;
  std::vector<FleetRow> rows;
  for (const fs::path& log : logs) {
    const fs::path folder = log.parent_path();
    auto known = files.find(folder);
    if (known == files.end()) {
      HEFT_TRY(robot, nearest(folder, {}, {".urdf"}, "robot file"));
      if (robot.empty())
        return Error{folder.string(), "has no robot file, nor do its parent folders",
                     "put the robot's URDF next to its logs or in a parent folder"};
      HEFT_TRY(config,
               nearest(folder, fs::path(robot).parent_path(), {".yaml", ".yml"}, "configuration"));
      known = files.emplace(folder, Files{robot, config}).first;
    }
    std::string name = log.filename().string();
    const bool validates =
        std::any_of(kHeldOutWords.begin(), kHeldOutWords.end(),
                    [&](const char* word) { return name.find(word) != std::string::npos; });
    rows.push_back({.robot_id = folder.lexically_relative(common).generic_string(),
                    .robot = known->second.robot,
                    .log = log.string(),
                    .config = known->second.config,
                    .validates = validates});
  }
  return rows;
}

}  // namespace heft
