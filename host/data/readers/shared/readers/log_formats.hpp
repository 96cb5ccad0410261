// The formats of logs: their names, what they are called, their files' endings; and what format a
// log has, by its first bytes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#pragma GCC visibility push(default)
namespace heft {

/// A format that logs are read in.
struct NamedFormat {
  std::string_view name;             ///< as manifests call it
  std::string_view title;            ///< as messages and help call it
  std::vector<std::string> endings;  ///< of files, in lower case
};

/// All of them: the one list that help, manifests and searches for logs read.
const std::vector<NamedFormat>& log_formats();

/// "CSV, NPY, HDF5, .. or ROS 2 bag"
std::string titles_of_log_formats();

/// The name of the format that a file (or folder) has, of all that is nothing else "csv"; empty: a
/// format that open_file refuses.
std::string_view format_of_file(const std::string& path);

}  // namespace heft
#pragma GCC visibility pop
