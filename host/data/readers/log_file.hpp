// The bytes of a log: read in large pieces, with the time that this takes, and hashed on the way.
//
// What is read in order is hashed as it comes; sha256() reads what is left. A file that is read
// once from begin to end is touched once, and may be a pipe.
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

  /// Up to `size` bytes; fewer only at the end of the file. Error: the file cannot be read.
  Result<std::size_t> read(char* to, std::size_t size);
  Result<Done> seek(std::uint64_t offset);

  const std::string& path() const { return path_; }
  std::uint64_t size() const { return size_; }          ///< when it was opened [byte]; 0 of a pipe
  std::uint64_t position() const { return position_; }  ///< of the next byte to be read
  double seconds() const { return seconds_; }           ///< spent waiting for bytes

  /// Of the whole file; call once, last. Errors: the rest cannot be read, or is no longer there.
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
