#include "store.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "dates.hpp"
#include "files/sha256.hpp"
#include "files/whole_file.hpp"

namespace heft {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr const char* kMarker = "heft-fleet-store";
constexpr const char* kMagic = "heft-fleet-store-";
constexpr const char* kAside = "aside";
constexpr std::size_t kSmallPiece = std::size_t{16} << 20;

const char* folder_of(FleetStore::Kind kind) {
  switch (kind) {
    case FleetStore::Kind::leaf:
      return "leaves";
    case FleetStore::Kind::node:
      return "nodes";
    case FleetStore::Kind::prior:
      return "priors";
    case FleetStore::Kind::answer:
      return "answers";
    case FleetStore::Kind::digest:
      return "digests";
    case FleetStore::Kind::owner:
      return "owners";
    default:
      return "failures";
  }
}

const char* suffix_of(FleetStore::Kind kind) {
  if (kind == FleetStore::Kind::leaf || kind == FleetStore::Kind::node) return ".heft";
  return kind == FleetStore::Kind::prior ? ".json" : "";
}

bool is_note(FleetStore::Kind kind) {
  return kind == FleetStore::Kind::digest || kind == FleetStore::Kind::owner;
}

Error cannot_write(const std::string& path, const std::string& why) {
  return {path, "cannot be written: " + why,
          "free disk space, check that the store is writable and run again; "
          "finished results are kept"};
}

/// Syncs a file or a folder to disk.
bool sync(const std::string& path, int flags) {
  const int file = ::open(path.c_str(), flags | O_CLOEXEC);
  if (file < 0) return false;
  const bool ok = ::fsync(file) == 0;
  return ::close(file) == 0 && ok;
}

/// Syncs a file to disk; it is final.
bool sync_and_make_read_only(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  (void)::fchmod(file, 0444);
  const bool ok = ::fsync(file) == 0;
  return ::close(file) == 0 && ok;
}

/// Renames a file unless the target exists (EEXIST).
bool give_name(const std::string& from, const std::string& to) {
  if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return true;
  if (errno == ENOENT || errno == EEXIST) return false;
  // file systems without this rename, such as network ones, have links
  if (::link(from.c_str(), to.c_str()) == 0) {
    (void)::unlink(from.c_str());
    return true;
  }
  if (errno == EEXIST) return false;
  // or neither: an existing piece is replaced by an equal one
  return ::rename(from.c_str(), to.c_str()) == 0;
}

Result<Done> check_marker(const std::string& folder, const std::string& text) {
  std::string format = text.substr(0, text.find('\n'));
  if (!format.starts_with(kMagic))
    return Error{folder,
                 "is not a store of heft fleet: its file heft-fleet-store contains '" +
                     format.substr(0, 80) + "'",
                 "choose another folder"};
  format = format.substr(std::strlen(kMagic));
  if (format == std::to_string(kFleetStoreFormat)) return Done{};
  return Error{folder,
               fmt::format("is a store of format {}; this version of heft uses format {}",
                           format.substr(0, 20), kFleetStoreFormat),
               "use the version of heft that wrote it, or a new folder"};
}

/// Error if a folder above is a store.
Result<Done> check_not_nested(const fs::path& folder) {
  std::error_code ignored;
  for (fs::path above = folder.parent_path(); !above.empty(); above = above.parent_path()) {
    if (fs::is_regular_file(above / kMarker, ignored))
      return Error{folder.string(), "lies inside another store, " + above.string(),
                   "put every store in a separate folder, next to the other"};
    if (above == above.parent_path()) break;
  }
  return Done{};
}

}  // namespace

Result<FleetStore> FleetStore::open(const std::string& given, StoreUse use) {
  if (given.empty())
    return Error{"--store", "is not a folder name",
                 "give the folder of the fleet, for instance store"};
  std::error_code failure;
  const fs::path folder = fs::weakly_canonical(fs::absolute(given), failure);
  if (failure) return Error{given, "is not a valid path: " + failure.message(), "give a folder"};
  FleetStore store(folder.string());
  HEFT_CHECK(check_not_nested(folder));
  const std::string marker = store.path(kMarker);
  if (fs::exists(marker, failure)) {
    HEFT_TRY(text, read_file_whole(marker, 4096));
    HEFT_CHECK(check_marker(given, text));
  } else {
    if (fs::exists(folder, failure) && !fs::is_directory(folder, failure))
      return Error{given, "is not a folder", "give a folder for the store"};
    if (use == StoreUse::existing)
      return Error{given, "is not a store of heft fleet",
                   "give the folder that was passed to heft fleet run --store"};
    bool is_empty = true;
    if (fs::is_directory(folder, failure))
      for (const fs::directory_entry& entry : fs::directory_iterator(folder, failure))
        // files of a killed or concurrent driver
        is_empty = is_empty && (entry.path().filename() == kAside ||
                                entry.path().filename().string().starts_with(kMarker));
    if (!is_empty)
      return Error{given, "is neither empty nor a store of heft fleet",
                   "give an empty or new folder"};
  }
  if (use != StoreUse::make) return store;
  fs::create_directories(store.path(kAside), failure);
  if (failure) return cannot_write(given, failure.message());
  if (!fs::exists(marker, failure)) {
    HEFT_CHECK(write_file_whole(marker, fmt::format("{}{}\n", kMagic, kFleetStoreFormat)));
    (void)sync(marker, O_RDONLY);
  }
  return store;
}

std::string FleetStore::path(const std::string& name) const {
  return (fs::path(folder_) / name).string();
}

std::string FleetStore::path(Kind kind, const std::string& key) const {
  const std::size_t digits = is_note(kind) ? kDigitsOfNotes : 2;
  return folder_ + "/" + folder_of(kind) + "/" + key.substr(0, digits) + "/" + key +
         suffix_of(kind);
}

bool FleetStore::has(Kind kind, const std::string& key) const {
  struct stat facts = {};
  return ::stat(path(kind, key).c_str(), &facts) == 0 && (facts.st_size > 0 || !is_note(kind));
}

void FleetStore::for_each_key(Kind kind, const std::function<void(const std::string&)>& see) const {
  const std::string suffix = suffix_of(kind);
  std::error_code failure;
  fs::recursive_directory_iterator at(path(folder_of(kind)), failure), end;
  for (; !failure && at != end; at.increment(failure)) {
    std::error_code ignored;
    if (at->is_directory(ignored)) continue;
    std::string key = at->path().filename().string();
    if (key.ends_with(suffix)) key.resize(key.size() - suffix.size());
    see(key);
  }
}

std::string FleetStore::aside(const std::string& suffix) const {
  static std::atomic<unsigned long> count{0};
  // the time separates processes with the same id on several machines
  const auto time = static_cast<unsigned long long>(now_s() * 1e6);
  return (fs::path(folder_) / kAside / fmt::format("{}-{}-{}{}", time, ::getpid(), ++count, suffix))
      .string();
}

Result<Done> FleetStore::put(Kind kind, const std::string& key,
                             const std::string& temporary) const {
  const std::string place = path(kind, key), folder = fs::path(place).parent_path().string();
  std::error_code failure, ignored;
  const auto fail = [&] {
    const std::string why = failure ? failure.message() : std::strerror(errno);
    fs::remove(temporary, ignored);
    return cannot_write(place, why);
  };
  if (!sync_and_make_read_only(temporary)) return fail();
  bool has_name = give_name(temporary, place);
  if (!has_name && errno == ENOENT) {  // the first of its folder
    fs::create_directories(folder, failure);
    if (failure) return fail();
    has_name = give_name(temporary, place);
  }
  if (!has_name && errno != EEXIST) return fail();
  if (!has_name) fs::remove(temporary, ignored);
  (void)sync(folder, O_RDONLY | O_DIRECTORY);
  return Done{};
}

Result<Done> FleetStore::put_note(Kind kind, const std::string& key,
                                  const std::string& text) const {
  const std::string place = path(kind, key);
  const auto opened = [&] {
    return ::open(place.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0444);
  };
  int file = opened();
  if (file < 0 && errno == ENOENT) {  // the first of its folder
    std::error_code failure;
    fs::create_directories(fs::path(place).parent_path(), failure);
    if (failure) return cannot_write(place, failure.message());
    file = opened();
  }
  if (file < 0 && errno == EEXIST) {
    if (has(kind, key)) return Done{};
    ::unlink(place.c_str());  // its writer was killed, or the disk lost data
    file = opened();
  }
  if (file < 0)
    return errno == EEXIST ? Result<Done>(Done{}) : cannot_write(place, std::strerror(errno));
  errno = 0;
  bool is_written = ::write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  is_written = ::close(file) == 0 && is_written;
  if (is_written) return Done{};
  const std::string why = errno != 0 ? std::strerror(errno) : "not enough space";
  ::unlink(place.c_str());
  return cannot_write(place, why);
}

Result<Done> FleetStore::put_text(Kind kind, const std::string& key,
                                  const std::string& text) const {
  const std::string temporary = aside("");
  HEFT_CHECK(write_new_file(temporary, text));
  return put(kind, key, temporary);
}

Result<Done> FleetStore::put_sealed(Kind kind, const std::string& key,
                                    const std::string& text) const {
  return put_text(kind, key, text + "\n" + sha256_of(text) + "\n");
}

std::optional<std::string> FleetStore::sealed_text(Kind kind, const std::string& key) const {
  constexpr std::size_t kSealSize = 1 + 64 + 1;
  auto sealed = text(kind, key);
  if (!sealed || sealed->size() < kSealSize) return {};
  const std::string seal = sealed->substr(sealed->size() - kSealSize);
  sealed->resize(sealed->size() - kSealSize);
  if (seal != "\n" + sha256_of(*sealed) + "\n") return {};
  return sealed;
}

void FleetStore::put_aside(Kind kind, const std::string& key) const {
  std::error_code ignored;
  fs::rename(path(kind, key), aside(".damaged"), ignored);
}

void FleetStore::set_failure(const std::string& key, const std::string& text) const {
  const std::string place = path(Kind::failure, key);
  std::error_code ignored;
  if (text.empty()) {
    fs::remove(place, ignored);
    return;
  }
  fs::create_directories(fs::path(place).parent_path(), ignored);
  (void)write_file_whole(place, text).ok();
}

std::optional<std::string> FleetStore::text(Kind kind, const std::string& key) const {
  auto text = read_file_whole(path(kind, key), kSmallPiece);
  if (!text) return {};
  return std::move(*text);
}

void FleetStore::note(const std::string& event, Json what) const {
  Json line = {{"time", date_text(now_s())}, {"event", event}};
  line.update(what);
  std::string text = line.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  const int file =
      ::open(path("events.jsonl").c_str(), O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
  if (file < 0) return;
  // one writer at a time: readers can see half of a line that crosses pages of the file
  (void)::flock(file, LOCK_EX);  // a file system without locks: as if alone
  // a driver that was killed may have left half a line
  struct stat facts = {};
  char last = '\n';
  if (::fstat(file, &facts) == 0 && facts.st_size > 0 &&
      ::pread(file, &last, 1, facts.st_size - 1) == 1 && last != '\n')
    text = "\n" + text;
  [[maybe_unused]] const auto written = ::write(file, text.data(), text.size());
  ::close(file);  // and the lock with it
}

std::string folder_name_of(const std::string& robot_id) {
  std::string name;
  for (const unsigned char c : robot_id) {
    const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                          (c >= '0' && c <= '9') || c == '-' || c == '_' ||
                          (c == '.' && !name.empty());
    name += is_plain ? std::string(1, static_cast<char>(c)) : fmt::format("%{:02X}", c);
  }
  if (name.size() <= 200) return name;
  // file systems limit names to 255 bytes
  Sha256 sha;
  sha.update(robot_id.data(), robot_id.size());
  std::string begin = name.substr(0, 120);
  return begin + "~" + sha.hex_digest().substr(0, 16);
}

}  // namespace heft
