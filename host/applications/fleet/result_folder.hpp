// A folder of results/ as a view of an answer: which answer its files are of, and whether they are
// still as they were written.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "heft/base/result.hpp"

namespace heft {

/// What keeps other drivers out of a folder while one writes.
class FolderLock {
 public:
  /// Makes the folder. Error: it cannot be made or opened.
  static Result<FolderLock> take(const std::string& folder);
  FolderLock(FolderLock&& other) noexcept : handle_(std::exchange(other.handle_, -1)) {}
  FolderLock& operator=(FolderLock&&) = delete;
  ~FolderLock();

 private:
  explicit FolderLock(int handle) : handle_(handle) {}
  int handle_;
};

/// From here on the folder has no answer, until seal_results().
void unseal_results(const std::string& folder);

/// Writes down that the files of the folder are those of answer `key`, with or without a page:
/// their sizes, stamps and digests.
Result<Done> seal_results(const std::string& folder, const std::string& key, bool has_page);

/// When a file was written [s since 1970]; 0: it is not there.
double modified_at(const std::string& path);
/// When a folder was sealed last, in seconds of the file system's clock; 0: never, or it is
/// unsealed.
double sealed_at(const std::string& folder);

/// Whether they are, unchanged: a file of the same size and stamp is not read; another stamp, and
/// its digest decides.
bool holds_results(const std::string& folder, const std::string& key, bool needs_page);

/// Where holds_results() says yes, a word for the seal and for each file: size, time stamp and
/// name, as they were before they were looked at. None where it says no, and where a name has a
/// blank.
std::optional<std::vector<std::string>> stamps_of_results(const std::string& folder,
                                                          const std::string& key, bool needs_page);
/// Whether seal and files are still as stamps_of_results() found them. Reads none.
bool has_stamps(const std::string& folder, const std::vector<std::string>& stamps);

}  // namespace heft
