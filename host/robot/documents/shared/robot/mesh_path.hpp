// Resolves the mesh names of a URDF: package://pkg/path, package:///pkg/path, file:///path, or a
// path relative to the URDF's folder.
#pragma once

#include <string>
#include <vector>

#pragma GCC visibility push(default)
namespace heft {

/// Returns the file that `uri` refers to; empty if it does not exist. Packages are searched in the
/// folders above the URDF (a folder of that name, or a folder that contains one), then in
/// `package_folders`, then in the folders of ROS_PACKAGE_PATH. Paths are resolved relative to the
/// URDF's folder, then to `package_folders`.
std::string find_mesh(const std::string& uri, const std::string& urdf_path,
                      const std::vector<std::string>& package_folders = {});

}  // namespace heft
#pragma GCC visibility pop
