#include "files/whole_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>

namespace heft {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kFirstRead = std::size_t{1} << 16;
constexpr std::size_t kMaxReserved = 1000 * kFirstRead;  // for a file by its size alone

struct OpenFile {
  explicit OpenFile(int opened) : handle(opened) {}
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  ~OpenFile() {
    if (handle >= 0) ::close(handle);
  }
  int handle;
};

/// Reads up to `size` bytes; negative: the disk failed. `left` is the remaining size of the file:
/// reading stops there; files of unknown size may have more.
ssize_t read_some(int handle, char* bytes, std::size_t size, std::size_t left) {
  std::size_t done = 0;
  while (done < size) {
    const ssize_t count = ::read(handle, bytes + done, size - done);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return -1;
    if (count == 0) break;
    done += static_cast<std::size_t>(count);
    if (done == left) break;
  }
  return static_cast<ssize_t>(done);
}

/// Length of the UTF-8 sequence at `offset`, 0 if there is none (overlong forms and surrogates
/// included: Unicode 15, table 3-7).
std::size_t utf8_length(const std::string& text, std::size_t offset) {
  const auto byte = [&](std::size_t i) {
    return offset + i < text.size() ? static_cast<unsigned char>(text[offset + i]) : 0u;
  };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t length = first < 0xC2   ? 0
                             : first < 0xE0 ? 2
                             : first < 0xF0 ? 3
                             : first < 0xF5 ? 4
                                            : 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xC0) != 0x80) return 0;
  const unsigned second = byte(1);
  const bool outside = (first == 0xE0 && second < 0xA0) || (first == 0xED && second > 0x9F) ||
                       (first == 0xF0 && second < 0x90) || (first == 0xF4 && second > 0x8F);
  return outside ? 0 : length;
}

std::string aside(const std::string& path) {
  return fmt::format("{}.part-{}", path, ::getpid());
}

/// Whether a name is a temporary file of `path` from a program that has ended and has not touched
/// it for a while: on a shared disk, its process id may belong to another machine.
bool is_leftover(const fs::directory_entry& entry, const std::string& name) {
  constexpr auto kWhile = std::chrono::minutes(1);
  const std::string found = entry.path().filename().string(), begin = name + ".part-";
  if (!found.starts_with(begin)) return false;
  int pid = 0;
  const char *first = found.data() + begin.size(), *last = found.data() + found.size();
  const auto [end, error] = std::from_chars(first, last, pid);
  if (error != std::errc() || end != last || pid <= 0) return false;
  if (::kill(pid, 0) == 0 || errno != ESRCH) return false;
  std::error_code ignored;
  const auto written = entry.last_write_time(ignored);
  return !ignored && fs::file_time_type::clock::now() - written > kWhile;
}

/// Removes temporary files of killed runs beside these files; examines only the first entries of a
/// large folder.
void sweep(const std::vector<FileText>& files) {
  constexpr int kMaxEntries = 1000;
  std::set<fs::path> folders;
  for (const FileText& file : files) folders.insert(fs::path(file.path).parent_path());
  for (const fs::path& folder : folders) {
    std::error_code ignored;
    int seen = 0;
    for (fs::directory_iterator at(folder.empty() ? "." : folder, ignored), end;
         !ignored && at != end && ++seen < kMaxEntries; at.increment(ignored))
      for (const FileText& file : files)
        if (fs::path(file.path).parent_path() == folder &&
            is_leftover(*at, fs::path(file.path).filename().string())) {
          std::error_code nothing;
          fs::remove(at->path(), nothing);
          break;
        }
  }
}

void forget(const std::string& path) {
  std::error_code ignored;
  fs::remove(aside(path), ignored);
}

/// Writes the text to the file `at`; errors name `path`.
Result<Done> write_at(const std::string& at, const std::string& path, std::string_view text) {
  std::ofstream file(at, std::ios::binary | std::ios::trunc);
  if (!file) {
    return Error{path, fmt::format("cannot be written: {}", std::strerror(errno)),
                 "check that the folder exists and is writable"};
  }
  errno = 0;
  file << text;
  file.close();
  if (!file) {
    return Error{path,
                 fmt::format("cannot be written completely: {}",
                             errno != 0 ? std::strerror(errno) : "write error"),
                 "free disk space or write elsewhere"};
  }
  return Done{};
}

/// Writes the text to a temporary file beside the target.
Result<Done> write_aside(const std::string& path, const std::string& text) {
  std::error_code failure;
  if (const fs::file_status status = fs::status(path, failure);
      fs::exists(status) && !fs::is_regular_file(status)) {
    return Error{path, "is not a regular file, so it cannot be replaced",
                 "give the path of a file"};
  }
  return write_at(aside(path), path, text);
}

Result<Done> put_in_place(const std::string& path) {
  std::error_code failure;
  fs::rename(aside(path), path, failure);
  if (!failure) return Done{};
  return Error{path, fmt::format("cannot be moved into place: {}", failure.message()),
               "check that the file and its folder are writable"};
}

}  // namespace

std::string path_beside(const std::string& file, const std::string& path) {
  if (path.empty() || fs::path(path).is_absolute()) return path;
  return (fs::path(file).parent_path() / path).string();
}

Result<Done> make_folder(const std::string& path) {
  std::error_code failure, ignored;
  fs::create_directories(path, failure);
  if (fs::is_directory(path, ignored)) return Done{};
  return Error{path, "cannot be created: " + failure.message(), "choose a writable folder"};
}

Result<std::string> read_file_whole(const std::string& path, std::size_t most_bytes,
                                    std::string_view magic) {
  const OpenFile file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat facts = {};
  if (file.handle < 0 || ::fstat(file.handle, &facts) != 0)
    return Error{path, fmt::format("cannot be opened: {}", std::strerror(errno)),
                 "check the path and the read permission"};
  if (S_ISDIR(facts.st_mode))
    return Error{path, "is a directory, not a file", "give the path of a file in it"};
  std::string bytes;
  // one byte more than a small file, so that one read finds its end
  const auto size = static_cast<std::size_t>(facts.st_size);
  const std::size_t room = size > 0 ? std::min(kFirstRead, size + 1) : kFirstRead;
  // a file with its reported size is not moved while it is read
  if (size <= kMaxReserved) bytes.reserve(std::min(size + room, most_bytes + 1));
  while (bytes.size() <= most_bytes && bytes.starts_with(magic.substr(0, bytes.size()))) {
    const std::size_t before = bytes.size();
    bytes.resize(std::min(
        {std::max(room, 2 * before), std::max(bytes.capacity(), before + room), most_bytes + 1}));
    const std::size_t asked = bytes.size() - before;
    const std::size_t left = size > before ? size - before : asked;
    const ssize_t count = read_some(file.handle, bytes.data() + before, asked, left);
    if (count < 0) return Error{path, "cannot be read completely", "check the disk and the file"};
    bytes.resize(before + static_cast<std::size_t>(count));
    if (static_cast<std::size_t>(count) < asked) break;  // the end
  }
  if (bytes.size() <= most_bytes) return bytes;
  return Error{path, fmt::format("is larger than {} MB, the limit for this file", most_bytes >> 20),
               "check the path"};
}

Result<std::string> read_text_whole(const std::string& path, std::size_t most_bytes) {
  HEFT_TRY(text, read_file_whole(path, most_bytes));
  std::size_t line = 1;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = utf8_length(text, i);
    if (length == 0) {
      return Error{
          fmt::format("{}:{}", path, line),
          fmt::format("byte 0x{:02X} is not UTF-8 text", static_cast<unsigned char>(text[i])),
          "save the file as UTF-8"};
    }
    line += text[i] == '\n';
    i += length;
  }
  return text;
}

Result<Done> write_file_whole(const std::string& path, const std::string& text) {
  Result<Done> outcome = write_aside(path, text);
  if (outcome) outcome = put_in_place(path);
  if (!outcome) forget(path);
  return outcome;
}

Result<Done> write_new_file(const std::string& path, std::string_view text) {
  const Result<Done> outcome = write_at(path, path, text);
  std::error_code ignored;
  if (!outcome) fs::remove(path, ignored);
  return outcome;
}

Result<Done> write_files_whole(const std::vector<FileText>& files) {
  Result<Done> outcome = Done{};
  for (const FileText& file : files)
    if (outcome.ok()) outcome = write_aside(file.path, file.text);
  for (const FileText& file : files)
    if (outcome.ok()) outcome = put_in_place(file.path);
  if (!outcome)
    for (const FileText& file : files) forget(file.path);
  if (outcome.ok() && files.size() > 1) sweep(files);
  return outcome;
}

}  // namespace heft
