// Log formats: their names, titles and file endings, and the detection of a log's format from its
// first bytes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#pragma GCC visibility push(default)
namespace heft {

/// A log format.
struct NamedFormat {
  std::string_view name;             ///< in manifests
  std::string_view title;            ///< in messages and help
  std::vector<std::string> endings;  ///< of files, in lower case
};

/// Returns all formats: the only list, used by help, manifests and searches for logs.
const std::vector<NamedFormat>& log_formats();

/// Returns "CSV, NPY, HDF5, .. or ROS 2 bag".
std::string titles_of_log_formats();

/// Returns the name of the format of a file (or folder), "csv" if no other format matches; empty: a
/// format that open_file rejects.
std::string_view format_of_file(const std::string& path);

}  // namespace heft
#pragma GCC visibility pop
