#include "log_digests.hpp"

#include <chrono>
#include <filesystem>
#include <optional>
#include <thread>

#include "dates.hpp"
#include "file_stamp.hpp"
#include "files/sha256.hpp"
#include "heft/log/several_files.hpp"
#include "log_files.hpp"

namespace heft {

namespace {

/// A file written this recently may change again within the resolution of its time stamp: wait
/// before reading it.
constexpr double kSettled_s = 0.1;

/// Stamp of a log; if `settles`, waits if a file was just written.
std::optional<FileStamp> stamp_of(const std::string& log, bool settles) {
  const auto stamp = stamp_of_log(log);
  if (!stamp || !settles) return stamp;
  const double age = now_s() - seconds_of(*stamp);
  if (age < 0 || age >= kSettled_s) return stamp;
  std::this_thread::sleep_for(std::chrono::duration<double>(kSettled_s));
  return stamp_of_log(log);
}

std::string name_of_path(const std::string& log) {
  std::string absolute;
  std::error_code ignored;
  for (const std::string& path : files_of_log(log))
    absolute += std::filesystem::absolute(path, ignored).string() + "\n";
  return sha256_of(absolute);
}

std::string name_by(const std::string& by_path, const FileStamp& stamp) {
  return by_path + "-" + sha256_of(text_of(stamp));
}

}  // namespace

std::string LogDigests::name_of(const std::string& path) {
  const auto stamp = stamp_of(path, true);
  return stamp ? name_by(name_of_path(path), *stamp) : std::string();
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
  const auto stamp = stamp_of(path, reads);
  if (!stamp) return cannot_read(path);
  const std::string by_path = name_of_path(path), key = name_by(by_path, *stamp);
  std::string digest = store_.text(FleetStore::Kind::digest, key).value_or("");
  if (digest.size() != 64) {
    if (!reads && !paths_.contains(by_path)) return std::string();
    if (reads && store_.has(FleetStore::Kind::digest, key))
      store_.put_aside(FleetStore::Kind::digest, key);
    HEFT_TRY(found, digest_of_log(path, progress));
    digest = found;
    if (reads) HEFT_CHECK(store_.put_note(FleetStore::Kind::digest, key, digest));
  }
  const std::lock_guard lock(mutex_);
  known_[path] = {digest, text_of(*stamp), key};
  return digest;
}

}  // namespace heft
