#include "log_files.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <tuple>

#include "bags/recording.hpp"
#include "file_stamp.hpp"
#include "files/sha256.hpp"
#include "heft/log/several_files.hpp"

namespace heft {

namespace {

namespace fs = std::filesystem;

// bytes: a larger one would be mapped, and zeroed, for every log
constexpr std::size_t kBlock = std::size_t{1} << 16;

Result<std::string> digest_of_file(const std::string& path, const Progress& progress) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return cannot_read(path);
  std::vector<char> block(kBlock);
  Sha256 sha;
  for (;;) {
    const ssize_t count = ::read(file, block.data(), block.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) {
      const Error error = cannot_read(path);
      ::close(file);
      return error;
    }
    if (count == 0) break;
    sha.update(block.data(), static_cast<std::size_t>(count));
    if (progress && !progress("computing digests of logs", 0)) {
      ::close(file);
      return stopped();
    }
  }
  ::close(file);
  return sha.hex_digest();
}

std::string together(const std::vector<std::string>& digests) {
  if (digests.size() == 1) return digests.front();
  return sha256_of(fmt::format("{}", fmt::join(digests, "")));
}

}  // namespace

Error cannot_read(const std::string& path) {
  return {path, fmt::format("cannot be read: {}", std::strerror(errno)),
          "check the path and the read permission"};
}

std::vector<LogMember> members_of_log(const std::string& log) {
  std::vector<LogMember> members;
  std::error_code ignored;
  for (const std::string& path : files_of_log(log)) {
    LogMember member{path, {path}};
    if (fs::is_directory(path, ignored)) {
      auto files = bags::files_of_folder(path);
      member.files = files ? *std::move(files) : std::vector<std::string>();
    }
    members.push_back(std::move(member));
  }
  return members;
}

FileStamp stamp_of_all(const std::vector<FileStamp>& stamps) {
  if (stamps.size() == 1) return stamps.front();
  constexpr std::size_t kDigits = 16;  // of a 64-bit number
  FileStamp all;
  std::string text;
  for (const FileStamp& stamp : stamps) {
    text += text_of(stamp);
    all.size += stamp.size;
    if (std::tie(stamp.modified_s, stamp.modified_ns) > std::tie(all.modified_s, all.modified_ns))
      all.modified_s = stamp.modified_s, all.modified_ns = stamp.modified_ns;
  }
  all.inode = std::stoull(sha256_of(text).substr(0, kDigits), nullptr, 16);
  return all;
}

std::optional<FileStamp> stamp_of_log(const std::string& log) {
  struct stat facts = {};
  if (::stat(log.c_str(), &facts) == 0 && S_ISREG(facts.st_mode)) return stamp_by(facts);
  std::vector<FileStamp> stamps;
  for (const LogMember& member : members_of_log(log))
    for (const std::string& path : member.files) {
      if (::stat(path.c_str(), &facts) != 0) return {};
      stamps.push_back(stamp_by(facts));
    }
  return stamps.empty() ? std::nullopt : std::optional(stamp_of_all(stamps));
}

Result<std::string> digest_of_log(const std::string& log, const Progress& progress) {
  std::vector<std::string> of_members;
  for (const LogMember& member : members_of_log(log)) {
    std::vector<std::string> of_files;
    for (const std::string& path : member.files) {
      HEFT_TRY(digest, digest_of_file(path, progress));
      of_files.push_back(digest);
    }
    of_members.push_back(together(of_files));
  }
  return together(of_members);
}

std::string beside(const fs::path& folder, const std::string& path) {
  if (path.empty() || path.find("://") != std::string::npos || fs::path(path).is_absolute())
    return path;
  return (folder / path).lexically_normal().string();
}

std::string log_beside(const fs::path& folder, const std::string& log) {
  const std::string whole = beside(folder, log);
  if (files_of_log(whole).size() == 1) return whole;
  std::vector<std::string> paths = files_of_log(log);
  for (std::string& path : paths) path = beside(folder, path);
  return fmt::format("{}", fmt::join(paths, "+"));
}

}  // namespace heft
