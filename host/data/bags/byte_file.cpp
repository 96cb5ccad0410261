#include "byte_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/seconds_into.hpp"

namespace heft::bags {

ByteFile::~ByteFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

ByteFile::ByteFile(ByteFile&& other) noexcept {
  *this = std::move(other);
}

ByteFile& ByteFile::operator=(ByteFile&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(descriptor_, other.descriptor_);
  std::swap(size_, other.size_);
  std::swap(seconds_, other.seconds_);
  std::swap(window_, other.window_);
  std::swap(window_at_, other.window_at_);
  return *this;
}

Result<ByteFile> ByteFile::open(const std::string& path) {
  ByteFile file;
  file.path_ = path;
  file.descriptor_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat status{};
  if (file.descriptor_ < 0 || ::fstat(file.descriptor_, &status) != 0)
    return Error{path, std::string("cannot be opened: ") + std::strerror(errno),
                 "check the path and the file's permissions"};
  if (!S_ISREG(status.st_mode))
    return Error{path, "is not a regular file",
                 "recordings need random access: write it to a file first"};
  file.size_ = static_cast<std::uint64_t>(status.st_size);
  return file;
}

Result<Done> ByteFile::read(std::uint64_t offset, char* to, std::size_t size) {
  const SecondsInto timer(seconds_);
  while (size > 0) {
    const ssize_t done = ::pread(descriptor_, to, size, static_cast<off_t>(offset));
    if (done < 0 && errno == EINTR) continue;
    if (done < 0)
      return Error{path_, std::string("cannot be read: ") + std::strerror(errno), "check the disk"};
    if (done == 0)
      return Error{path_, "was truncated while it was read",
                   "wait until the recorder has finished, then read it again"};
    offset += static_cast<std::uint64_t>(done);
    to += done;
    size -= static_cast<std::size_t>(done);
  }
  return Done{};
}

Result<const char*> ByteFile::window(std::uint64_t offset, std::size_t size) {
  const bool is_inside = offset >= window_at_ && offset + size <= window_at_ + window_.size();
  if (!is_inside) {
    window_.resize(static_cast<std::size_t>(std::min<std::uint64_t>(kWindow, size_ - offset)));
    window_at_ = offset;
    HEFT_CHECK(read(offset, window_.data(), window_.size()));
  }
  return window_.data() + (offset - window_at_);
}

}  // namespace heft::bags
