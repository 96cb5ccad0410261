#include "host/model/urdf_file.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace heft {

namespace fs = std::filesystem;

Result<std::string> read_file_whole(const std::string& path) {
  std::error_code failure;
  if (fs::is_directory(path, failure)) {
    return Error{path, "is a directory, not a file", "give the path of the file inside it"};
  }
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    return Error{path, fmt::format("cannot be opened: {}", std::strerror(errno)),
                 "check the path and the permission to read it"};
  }
  std::ostringstream text;
  text << file.rdbuf();
  if (file.bad()) return Error{path, "cannot be read to its end", "check the disk and the file"};
  return text.str();
}

Result<Done> write_file_whole(const std::string& path, const std::string& text) {
  std::error_code failure;
  if (const fs::file_status status = fs::status(path, failure);
      fs::exists(status) && !fs::is_regular_file(status)) {
    return Error{path, "is not a regular file, so it cannot be replaced", "give the path of a file"};
  }

  const std::string aside = fmt::format("{}.part-{}", path, ::getpid());
  std::ofstream file(aside, std::ios::binary | std::ios::trunc);
  if (!file) {
    return Error{path, fmt::format("cannot be written: {}", std::strerror(errno)),
                 "check that the folder exists and that you may write to it"};
  }
  errno = 0;
  file << text;
  file.close();
  if (!file) {
    const std::string reason = errno != 0 ? std::strerror(errno) : "write error";
    fs::remove(aside, failure);
    return Error{path, fmt::format("cannot be written to its end: {}", reason),
                 "make room on the disk or write elsewhere"};
  }
  fs::rename(aside, path, failure);
  if (failure) {
    const std::string reason = failure.message();
    fs::remove(aside, failure);
    return Error{path, fmt::format("cannot be put in place: {}", reason),
                 "check that you may replace the file and write to its folder"};
  }
  return Done{};
}

}  // namespace heft
