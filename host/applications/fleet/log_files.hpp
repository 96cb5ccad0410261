// The files of a log: of one in several files (a.csv+b.csv), and of bag folders. Their bytes are
// the log, their stamps show whether it changed.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "fleet/plan.hpp"
#include "heft/base/result.hpp"

namespace heft {

/// A file of a log, or a bag folder in its place.
struct LogMember {
  std::string path;
  std::vector<std::string> files;  ///< the file itself, or those of the folder; empty: a folder
                                   ///< without recordings
};

/// Returns the members of a log in order. Files need not exist.
std::vector<LogMember> members_of_log(const std::string& log);

/// Returns one stamp of several files, which changes with that of any file: the sum of the sizes
/// and the latest change. That of one file is its own.
FileStamp stamp_of_all(const std::vector<FileStamp>& stamps);

/// Returns the error of a file that cannot be read, for the reason in errno.
Error cannot_read(const std::string& path);

/// Returns the stamp of all files of a log; empty if one does not exist.
std::optional<FileStamp> stamp_of_log(const std::string& log);

/// Returns the digest of a log as its sources compute it: the SHA-256 of a file; for several files
/// that of the digests in order. Errors: a file cannot be read; stopped().
Result<std::string> digest_of_log(const std::string& log, const Progress& progress);

/// Returns a path relative to `folder`; absolute paths and URLs stay as they are.
std::string beside(const std::filesystem::path& folder, const std::string& path);
/// The same for every file of a log.
std::string log_beside(const std::filesystem::path& folder, const std::string& log);

}  // namespace heft
