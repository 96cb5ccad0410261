#include "log_digests.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <optional>
#include <thread>
#include <vector>

#include "dates.hpp"
#include "file_stamp.hpp"
#include "files/sha256.hpp"

namespace heft {

namespace {

/// A file written this recently may change again within the resolution of its time stamp: wait
/// before reading it.
constexpr double kSettled_s = 0.1;
// bytes: a larger one would be mapped, and zeroed, for every log
constexpr std::size_t kBlock = std::size_t{1} << 16;

Error cannot_read(const std::string& path) {
  return {path, fmt::format("cannot be read: {}", std::strerror(errno)),
          "check the path and the read permission"};
}

double age_of(const struct stat& facts) {
  return now_s() - static_cast<double>(facts.st_mtim.tv_sec) -
         1e-9 * static_cast<double>(facts.st_mtim.tv_nsec);
}

/// Digest of a file; if `settles`, waits before reading a file that was just written.
std::optional<struct stat> facts_of(const std::string& path, bool settles) {
  struct stat facts = {};
  if (::stat(path.c_str(), &facts) != 0) return {};
  if (settles && age_of(facts) >= 0 && age_of(facts) < kSettled_s) {
    std::this_thread::sleep_for(std::chrono::duration<double>(kSettled_s));
    if (::stat(path.c_str(), &facts) != 0) return {};
  }
  return facts;
}

std::string name_of_path(const std::string& path) {
  std::error_code ignored;
  return sha256_of(std::filesystem::absolute(path, ignored).string() + "\n");
}

std::string name_by(const std::string& by_path, const struct stat& facts) {
  return by_path + "-" + sha256_of(text_of(stamp_by(facts)));
}

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

}  // namespace

std::string LogDigests::name_of(const std::string& path) {
  const auto facts = facts_of(path, true);
  return facts ? name_by(name_of_path(path), *facts) : std::string();
}

std::optional<LogDigests::KnownLog> LogDigests::known(const std::string& path) const {
  const std::lock_guard lock(mutex_);
  const auto found = known_.find(path);
  return found == known_.end() ? std::nullopt : std::optional(found->second);
}

void LogDigests::look_at_touched() {
  store_.for_each_key(FleetStore::Kind::digest, [&](const std::string& key) {
    // earlier versions had one folder per path
    if (const std::size_t end = key.find('-'); end != std::string::npos)
      paths_.insert(key.substr(0, end));
  });
}

Result<std::string> LogDigests::of(const std::string& path, bool reads, const Progress& progress) {
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = known_.find(path); found != known_.end()) return found->second.digest;
  }
  const auto facts = facts_of(path, reads);
  if (!facts) return cannot_read(path);
  const std::string by_path = name_of_path(path), key = name_by(by_path, *facts);
  std::string digest = store_.text(FleetStore::Kind::digest, key).value_or("");
  if (digest.size() != 64) {
    if (!reads && !paths_.contains(by_path)) return std::string();
    if (reads && store_.has(FleetStore::Kind::digest, key))
      store_.put_aside(FleetStore::Kind::digest, key);
    HEFT_TRY(found, digest_of_file(path, progress));
    digest = found;
    if (reads) HEFT_CHECK(store_.put_note(FleetStore::Kind::digest, key, digest));
  }
  const std::lock_guard lock(mutex_);
  known_[path] = {digest, text_of(stamp_by(*facts)), key};
  return digest;
}

}  // namespace heft
