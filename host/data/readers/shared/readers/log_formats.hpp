// Log formats: their names, titles, file endings and first bytes, and how to open them. Every
// function takes the table, so that a test can add a format.
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

/// A file format. Formats without a name are recognized and refused with a remedy.
struct FileFormat {
  std::string_view magic;    ///< the first bytes of the file; empty: matches every other file
  std::string_view name;     ///< in manifests
  std::string_view title;    ///< in messages and help
  std::string_view endings;  ///< of files, in lower case, separated by blanks
  Result<SourcePtr> (*open)(const std::string& path, const LogFormat& format,
                            std::size_t read_size);
};

/// Returns all formats in the order of detection: the only list, used by readers, help, manifests
/// and searches for logs. The last one matches every other file.
std::span<const FileFormat> file_formats();

/// A log format that Heft reads.
struct NamedFormat {
  std::string_view name;             ///< in manifests
  std::string_view title;            ///< in messages and help
  std::vector<std::string> endings;  ///< of files, in lower case
};

/// Returns the formats that Heft reads, text first.
std::vector<NamedFormat> log_formats(std::span<const FileFormat> formats = file_formats());

/// Returns "CSV, NPY, HDF5, .. or ROS 2 bag".
std::string titles_of_log_formats(std::span<const FileFormat> formats = file_formats());

/// Returns the name of the format of a file (or folder), "csv" if no other format matches; empty: a
/// format that open_file rejects.
std::string_view format_of_file(const std::string& path,
                                std::span<const FileFormat> formats = file_formats());

/// Opens a log as open_file does, with the formats of the table.
Result<SourcePtr> open_file_as(std::span<const FileFormat> formats, const std::string& path,
                               const LogFormat& format, std::size_t read_size);

}  // namespace heft
#pragma GCC visibility pop
