// Small files read completely into memory, or written to a temporary file and renamed, so that they
// appear completely or not at all.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "heft/base/result.hpp"

#pragma GCC visibility push(default)
namespace heft {

// Upper bounds of file sizes by kind. A parsed text takes many times its size in memory, so kinds
// need bounds of their own.
inline constexpr std::size_t kLargestFile = std::size_t{4} << 30;
inline constexpr std::size_t kLargestRobot = std::size_t{16} << 20;
inline constexpr std::size_t kLargestConfiguration = std::size_t{1} << 20;
inline constexpr std::size_t kLargestResult = std::size_t{64} << 20;

/// Returns the bytes of a file. Errors: missing or unreadable file, folder, more than `most_bytes`,
/// after which reading stops, also for a pipe or an endless device. If the file does not begin with
/// `magic`, only its first block is read and returned.
Result<std::string> read_file_whole(const std::string& path, std::size_t most_bytes = kLargestFile,
                                    std::string_view magic = {});

/// Returns the text of a file. Errors: those of read_file_whole; invalid UTF-8, at file:line.
Result<std::string> read_text_whole(const std::string& path, std::size_t most_bytes);

/// Writes `text` to `path` and replaces an existing file. On an error no partial file remains and
/// the old file is unchanged. Errors: folder that does not exist or is not writable, path that is
/// not a regular file, full disk.
Result<Done> write_file_whole(const std::string& path, const std::string& text);

/// Writes a file whose name no other process knows yet; a crash may leave it incomplete. Errors:
/// those of write_file_whole.
Result<Done> write_new_file(const std::string& path, std::string_view text);

/// Resolves a path named in a file relative to that file's folder. Empty and absolute paths are
/// unchanged.
std::string path_beside(const std::string& file, const std::string& path);

/// Creates a folder and its parents unless it exists. Error: it cannot be created.
Result<Done> make_folder(const std::string& path);

/// A file to write.
struct FileText {
  std::string path, text;
};

/// Writes files that belong together; none is replaced before all are written completely.
Result<Done> write_files_whole(const std::vector<FileText>& files);

}  // namespace heft
#pragma GCC visibility pop
