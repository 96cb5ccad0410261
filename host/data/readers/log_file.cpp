#include "log_file.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <vector>

#include "base/seconds_into.hpp"

namespace heft {

namespace {

constexpr std::size_t kReadSize = std::size_t{1} << 18;

}  // namespace

Result<LogFile> LogFile::open(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored))
    return Error{path, "is a folder without recordings (.mcap, .db3), not a log",
                 "name a file or a bag folder in it"};
  LogFile log;
  log.path_ = path;
  log.file_.reset(std::fopen(path.c_str(), "rb"));
  if (!log.file_)
    return Error{path, fmt::format("cannot be opened: {}", std::strerror(errno)),
                 "check the path and the file's permissions"};
  // pieces are large: the C library's own buffer would only copy them once more
  std::setvbuf(log.file_.get(), nullptr, _IONBF, 0);
  const auto size = std::filesystem::file_size(path, ignored);
  log.size_ = ignored ? 0 : size;
  return log;
}

Result<std::size_t> LogFile::read(char* to, std::size_t size) {
  std::size_t done = 0;
  {
    const SecondsInto timer(seconds_);
    done = std::fread(to, 1, size, file_.get());
  }
  if (std::ferror(file_.get())) return unreadable();
  if (position_ == hashed_) {
    sha256_.update(to, done);
    hashed_ += done;
  }
  position_ += done;
  ended_ = done < size;
  return done;
}

Result<Done> LogFile::seek(std::uint64_t offset) {
  if (::fseeko(file_.get(), static_cast<off_t>(offset), SEEK_SET) != 0) return unreadable();
  position_ = offset;
  ended_ = false;
  return Done{};
}

Result<std::string> LogFile::sha256() {
  if (position_ != hashed_) HEFT_CHECK(seek(hashed_));
  for (std::vector<char> rest(kReadSize); !ended_;) HEFT_CHECK(read(rest.data(), rest.size()));
  if (hashed_ < size_)
    return Error{
        path_,
        fmt::format("was truncated while it was read: {} of {} bytes are left", hashed_, size_),
        "wait until no program writes to it, then read it again"};
  return sha256_.hex_digest();
}

Error LogFile::unreadable() const {
  return Error{path_, fmt::format("cannot be read: {}", std::strerror(errno)), "check the disk"};
}

}  // namespace heft
