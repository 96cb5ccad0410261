// Small files in one piece: read whole; written aside and renamed, so that they appear whole or not at all.
#pragma once

#include <string>
#include <vector>

#include "heft/result.hpp"

namespace heft {

/// The bytes of a file. Errors: missing or unreadable file, folder.
Result<std::string> read_file_whole(const std::string& path);

/// The same for a text; besides an error at file:line if it is not UTF-8.
Result<std::string> read_text_whole(const std::string& path);

/// Writes `text` to `path`, replacing a file of that name. On an error nothing is left behind and the old
/// file stays as it was. Errors: folder that does not exist or is not writable, path of something that is not
/// a file, full disk.
Result<Done> write_file_whole(const std::string& path, const std::string& text);

struct FileText {
  std::string path, text;
};

/// The same for files that belong together: none is replaced before all are written to their end.
Result<Done> write_files_whole(const std::vector<FileText>& files);

}  // namespace heft
