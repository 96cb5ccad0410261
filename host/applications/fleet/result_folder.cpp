#include "result_folder.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <sstream>
#include <vector>

#include "dates.hpp"
#include "files/sha256.hpp"
#include "files/whole_file.hpp"

namespace heft {

namespace {

namespace fs = std::filesystem;

/// The result's key, then one line per file: size, time stamp, SHA-256 and name.
constexpr const char* kSeal = "answer.key";
constexpr const char* kWithPage = " with page";
constexpr std::size_t kLongestSeal = 1 << 16;
constexpr std::size_t kLargestResult = std::size_t{1} << 30;

std::string seal_of(const std::string& folder) {
  return (fs::path(folder) / kSeal).string();
}

/// "SIZE STAMP" of a file; empty if it does not exist.
std::string stamp_of(const std::string& path) {
  struct stat facts = {};
  if (::stat(path.c_str(), &facts) != 0) return "";
  return fmt::format("{} {}.{:09}", facts.st_size, facts.st_mtim.tv_sec, facts.st_mtim.tv_nsec);
}

/// "SIZE,STAMP/NAME" of a file from stamp_of().
std::string stamp_word(std::string stamp, const std::string& name) {
  std::replace(stamp.begin(), stamp.end(), ' ', ',');
  return stamp + "/" + name;
}

/// Empty if it cannot be read.
std::string digest_of_file(const std::string& path) {
  const auto bytes = read_file_whole(path, kLargestResult);
  return bytes ? sha256_of(*bytes) : "";
}

/// Checks a seal line (stamp_of(), digest and name of a file); returns the file's stamp_word() if
/// the file is unchanged.
std::optional<std::string> as_sealed(const std::string& folder, const std::string& line) {
  std::istringstream words(line);
  std::string size, stamp, sha256, name;
  if (!(words >> size >> stamp >> sha256) || !std::getline(words >> std::ws, name)) return {};
  const std::string path = (fs::path(folder) / name).string(), is = stamp_of(path);
  if (is == size + " " + stamp || (is.starts_with(size + " ") && digest_of_file(path) == sha256))
    return stamp_word(is, name);
  return {};
}

/// Returns the stamp_word() of the seal and of the files; empty if the files changed or belong to
/// another result.
std::optional<std::vector<std::string>> stamps_as_sealed(const std::string& folder,
                                                         const std::string& key, bool needs_page) {
  std::vector<std::string> found = {stamp_word(stamp_of(seal_of(folder)), kSeal)};
  const auto text = read_file_whole(seal_of(folder), kLongestSeal);
  if (!text) return {};
  std::istringstream lines(*text);
  std::string line;
  std::getline(lines, line);
  if (line != key + kWithPage && (needs_page || line != key)) return {};
  while (std::getline(lines, line)) {
    auto word = as_sealed(folder, line);
    if (!word) return {};
    found.push_back(std::move(*word));
  }
  if (found.size() == 1) return {};
  return found;
}

}  // namespace

Result<FolderLock> FolderLock::take(const std::string& folder) {
  std::error_code failure;
  fs::create_directories(folder, failure);
  const int handle = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (handle < 0)
    return Error{folder, "cannot be opened: " + std::string(std::strerror(errno)),
                 "check that it is a folder of the store and writable"};
  (void)::flock(handle, LOCK_EX);  // a file system without locks: proceed as the only user
  return FolderLock(handle);
}

FolderLock::~FolderLock() {
  if (handle_ >= 0) ::close(handle_);
}

void unseal_results(const std::string& folder) {
  std::error_code ignored;
  fs::remove(seal_of(folder), ignored);
}

Result<Done> seal_results(const std::string& folder, const std::string& key, bool has_page) {
  std::vector<std::string> names;
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored))
    if (entry.is_regular_file(ignored) && entry.path().filename() != kSeal)
      names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  std::string text = key + (has_page ? kWithPage : "") + "\n";
  for (const std::string& name : names) {
    const std::string path = (fs::path(folder) / name).string();
    text += fmt::format("{} {} {}\n", stamp_of(path), digest_of_file(path), name);
  }
  return write_file_whole(seal_of(folder), text);
}

double modified_at(const std::string& path) {
  struct stat facts = {};
  return ::stat(path.c_str(), &facts) == 0 ? seconds_of(facts.st_mtim) : 0;
}

double sealed_at(const std::string& folder) {
  return modified_at(seal_of(folder));
}

bool has_stamps(const std::string& folder, const std::vector<std::string>& stamps) {
  return !stamps.empty() && std::all_of(stamps.begin(), stamps.end(), [&](const std::string& word) {
    const std::string name = word.substr(word.rfind('/') + 1);
    return stamp_word(stamp_of((fs::path(folder) / name).string()), name) == word;
  });
}

bool holds_results(const std::string& folder, const std::string& key, bool needs_page) {
  return stamps_as_sealed(folder, key, needs_page).has_value();
}

std::optional<std::vector<std::string>> stamps_of_results(const std::string& folder,
                                                          const std::string& key, bool needs_page) {
  auto words = stamps_as_sealed(folder, key, needs_page);
  if (!words || std::any_of(words->begin(), words->end(), [](const std::string& word) {
        return word.find(' ') != std::string::npos;
      }))
    return {};
  return words;
}

}  // namespace heft
