// Small files in one piece: read whole; written aside and renamed, so that they appear whole or not
// at all.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "heft/base/result.hpp"

#pragma GCC visibility push(default)
namespace heft {

// What no file of its kind reaches. A parsed text takes many times its size in memory, so that the
// size of a file must not be the only bound.
inline constexpr std::size_t kLargestFile = std::size_t{4} << 30;
inline constexpr std::size_t kLargestRobot = std::size_t{16} << 20;
inline constexpr std::size_t kLargestConfiguration = std::size_t{1} << 20;
inline constexpr std::size_t kLargestResult = std::size_t{64} << 20;

/// The bytes of a file. Errors: missing or unreadable file, folder, more than `most_bytes`, of
/// which no more are read, also from a pipe or a device without an end. A file that does not begin
/// with `magic` is left after its first block, which is returned.
Result<std::string> read_file_whole(const std::string& path, std::size_t most_bytes = kLargestFile,
                                    std::string_view magic = {});

/// The same for a text; besides an error at file:line if it is not UTF-8.
Result<std::string> read_text_whole(const std::string& path, std::size_t most_bytes);

/// Writes `text` to `path`, replacing a file of that name. On an error nothing is left behind and
/// the old file stays as it was. Errors: folder that does not exist or is not writable, path of
/// something that is not a file, full disk.
Result<Done> write_file_whole(const std::string& path, const std::string& text);

/// Writes a file under a name that no other process knows yet; a crash may leave a part of it.
/// Errors: as above.
Result<Done> write_new_file(const std::string& path, std::string_view text);

/// A path that a file names: relative to that file's folder. Empty and absolute ones as they are.
std::string path_beside(const std::string& file, const std::string& path);

/// Makes a folder and those above it, unless it is there. Error: it cannot be made.
Result<Done> make_folder(const std::string& path);

struct FileText {
  std::string path, text;
};

/// The same for files that belong together: none is replaced before all are written to their end.
Result<Done> write_files_whole(const std::vector<FileText>& files);

}  // namespace heft
#pragma GCC visibility pop
