// The formats of logs: their names, what they are called, their files' endings and first bytes, and
// how they are opened. Every function takes the table, so that a test can add a format.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heft/base/result.hpp"
#include "heft/log/source.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// A format of files. Those without a name are recognized, and refused with a remedy.
struct FileFormat {
  std::string_view magic;    ///< the file's first bytes; empty: what is no other format
  std::string_view name;     ///< as manifests call it
  std::string_view title;    ///< as messages and help call it
  std::string_view endings;  ///< of files, in lower case, a blank between them
  Result<SourcePtr> (*open)(const std::string& path, const LogFormat& format,
                            std::size_t read_size);
};

/// All of them, in the order in which they are tried: the one list that readers, help, manifests
/// and searches for logs read. The last takes what is no other format.
std::span<const FileFormat> file_formats();

/// A format that logs are read in.
struct NamedFormat {
  std::string_view name;             ///< as manifests call it
  std::string_view title;            ///< as messages and help call it
  std::vector<std::string> endings;  ///< of files, in lower case
};

/// Those that are read, text first.
std::vector<NamedFormat> log_formats(std::span<const FileFormat> formats = file_formats());

/// "CSV, NPY, HDF5, .. or ROS 2 bag"
std::string titles_of_log_formats(std::span<const FileFormat> formats = file_formats());

/// The name of the format that a file (or folder) has, of all that is nothing else "csv"; empty: a
/// format that open_file refuses.
std::string_view format_of_file(const std::string& path,
                                std::span<const FileFormat> formats = file_formats());

/// open_file of another table.
Result<SourcePtr> open_file_as(std::span<const FileFormat> formats, const std::string& path,
                               const LogFormat& format, std::size_t read_size);

}  // namespace heft
#pragma GCC visibility pop
