// Random access to a file.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "heft/base/result.hpp"

namespace heft::bags {

class ByteFile {
 public:
  ByteFile() = default;
  ~ByteFile();
  ByteFile(ByteFile&& other) noexcept;
  ByteFile& operator=(ByteFile&& other) noexcept;

  static Result<ByteFile> open(const std::string& path);
  const std::string& path() const { return path_; }
  std::uint64_t size() const { return size_; }  ///< [byte]
  double seconds() const { return seconds_; }   ///< spent waiting for bytes

  /// Returns all `size` bytes at `offset`. Error: unreadable, or the file has shrunk since it was
  /// opened.
  Result<Done> read(std::uint64_t offset, char* to, std::size_t size);
  /// Returns up to kWindow bytes at `offset` through a small cache; valid until the next call. The
  /// range must lie within the file.
  Result<const char*> window(std::uint64_t offset, std::size_t size);

  static constexpr std::size_t kWindow = std::size_t{1} << 15;

 private:
  std::string path_;
  int descriptor_ = -1;
  std::uint64_t size_ = 0;
  double seconds_ = 0;
  std::vector<char> window_;
  std::uint64_t window_at_ = 0;
};

}  // namespace heft::bags
