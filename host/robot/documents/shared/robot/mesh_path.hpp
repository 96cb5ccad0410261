// Where the mesh is that a URDF names: package://pkg/path, package:///pkg/path, file:///path, or a
// path from the URDF's own folder.
#pragma once

#include <string>
#include <vector>

#pragma GCC visibility push(default)
namespace heft {

/// The file that `uri` means, or an empty string if there is none. A package is looked for upwards
/// from the URDF (a folder of that name, or with one of that name in it), then in
/// `package_folders`, then in the folders of ROS_PACKAGE_PATH. A path is looked for from the URDF's
/// folder, then from `package_folders`.
std::string find_mesh(const std::string& uri, const std::string& urdf_path,
                      const std::vector<std::string>& package_folders = {});

}  // namespace heft
#pragma GCC visibility pop
