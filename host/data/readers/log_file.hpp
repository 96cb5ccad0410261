// Reads the bytes of a log in large blocks, measures the time spent, and hashes them.
//
// Sequential reads are hashed on the fly; sha256() reads the rest. A file read once from begin to
// end is accessed only once, and may be a pipe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>

#include "files/sha256.hpp"
#include "heft/base/result.hpp"

namespace heft {

class LogFile {
 public:
  /// Errors: a folder, a file that cannot be opened.
  static Result<LogFile> open(const std::string& path);

  /// Reads up to `size` bytes; fewer only at the end of the file. Error: the file cannot be read.
  Result<std::size_t> read(char* to, std::size_t size);
  Result<Done> seek(std::uint64_t offset);

  const std::string& path() const { return path_; }
  std::uint64_t size() const { return size_; }          ///< when it was opened [byte]; 0 for a pipe
  std::uint64_t position() const { return position_; }  ///< next byte to read
  double seconds() const { return seconds_; }           ///< spent waiting for bytes

  /// Returns the hash of the whole file; must be the last call. Errors: the rest cannot be read or
  /// no longer exists.
  Result<std::string> sha256();

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };

  LogFile() = default;
  Error unreadable() const;

  std::string path_;
  std::unique_ptr<std::FILE, Close> file_;
  std::uint64_t size_ = 0;
  std::uint64_t position_ = 0;
  bool ended_ = false;
  double seconds_ = 0;
  Sha256 sha256_;
  std::uint64_t hashed_ = 0;  // bytes from the start on
};

}  // namespace heft
