#include "robot/mesh_path.hpp"

#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string_view>

namespace heft {

namespace fs = std::filesystem;

namespace {

std::string if_file(const fs::path& path) {
  std::error_code failure;
  return fs::is_regular_file(path, failure) ? path.string() : "";
}

// folders that may hold packages, the nearest first
std::vector<fs::path> package_parents(const fs::path& urdf_folder,
                                      const std::vector<std::string>& given) {
  std::vector<fs::path> parents;
  for (fs::path folder = urdf_folder; folder != folder.root_path(); folder = folder.parent_path())
    parents.push_back(folder);
  parents.insert(parents.end(), given.begin(), given.end());
  if (const char* listed = std::getenv("ROS_PACKAGE_PATH")) {
    std::istringstream folders{std::string(listed)};
    for (std::string folder; std::getline(folders, folder, ':');)
      if (!folder.empty()) parents.emplace_back(folder);
  }
  return parents;
}

}  // namespace

std::string find_mesh(const std::string& uri, const std::string& urdf_path,
                      const std::vector<std::string>& package_folders) {
  constexpr std::string_view kPackage = "package://", kFile = "file://";
  std::error_code failure;
  const fs::path folder =
      fs::absolute(fs::path(urdf_path), failure).lexically_normal().parent_path();
  if (failure) return "";
  if (uri.starts_with(kFile)) return if_file(uri.substr(kFile.size()));
  if (!uri.starts_with(kPackage)) {
    if (uri.empty()) return "";
    std::string found = if_file(folder / uri);
    for (auto given = package_folders.begin(); found.empty() && given != package_folders.end();
         ++given)
      found = if_file(fs::path(*given) / uri);
    return found;
  }

  const fs::path path = fs::path(uri.substr(kPackage.size())).relative_path().lexically_normal();
  if (path.empty()) return "";
  const fs::path package = *path.begin();
  for (const fs::path& parent : package_parents(folder, package_folders)) {
    if (std::string found = if_file(parent / path); !found.empty()) return found;
    if (parent.filename() != package) continue;
    if (std::string found = if_file(parent.parent_path() / path); !found.empty()) return found;
  }
  return "";
}

}  // namespace heft
