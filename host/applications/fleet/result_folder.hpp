// A folder of results/ as a view of an answer: which answer its files belong to, and whether they
// are unchanged.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "heft/base/result.hpp"

namespace heft {

/// Lock that keeps other processes from writing to a folder.
class FolderLock {
 public:
  /// Creates the folder. Error: it cannot be created or opened.
  static Result<FolderLock> take(const std::string& folder);
  FolderLock(FolderLock&& other) noexcept : handle_(std::exchange(other.handle_, -1)) {}
  FolderLock& operator=(FolderLock&&) = delete;
  ~FolderLock();

 private:
  explicit FolderLock(int handle) : handle_(handle) {}
  int handle_;
};

/// Marks the folder as having no answer, until seal_results().
void unseal_results(const std::string& folder);

/// Records that the files of the folder belong to answer `key`, with or without a page, with their
/// sizes, stamps and digests.
Result<Done> seal_results(const std::string& folder, const std::string& key, bool has_page);

/// Returns when a file was written [s since 1970]; 0 if it does not exist.
double modified_at(const std::string& path);
/// Returns when a folder was last sealed, in seconds of the file system's clock; 0 if it never was
/// or is unsealed.
double sealed_at(const std::string& folder);

/// Returns whether the files are unchanged. A file with the same size and stamp is not read; with
/// another stamp its digest decides.
bool holds_results(const std::string& folder, const std::string& key, bool needs_page);

/// If holds_results() is true, returns one word for the seal and for each file, with size, time
/// stamp and name from before the check. Empty if it is false, or if a name contains a space.
std::optional<std::vector<std::string>> stamps_of_results(const std::string& folder,
                                                          const std::string& key, bool needs_page);
/// Returns whether seal and files still match stamps_of_results(), without reading them.
bool has_stamps(const std::string& folder, const std::vector<std::string>& stamps);

}  // namespace heft
