#include "npy_output.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <limits>

namespace heft {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kHeaderSize = 128;  ///< preamble of ten bytes, dictionary, blanks, end of
                                          ///< line

}  // namespace

NpyOutput::NpyOutput(std::string path, std::vector<std::int64_t> shape)
    : path_(std::move(path)),
      aside_(fmt::format("{}.part-{}", path_, ::getpid())),
      shape_(std::move(shape)),
      file_(aside_, std::ios::binary | std::ios::trunc) {}

NpyOutput::~NpyOutput() {
  if (aside_.empty()) return;  // moved from, or in place
  std::error_code ignored;
  fs::remove(aside_, ignored);
}

std::string NpyOutput::header(std::int64_t first_dimension) const {
  std::string dictionary =
      fmt::format("{{'descr': '<f8', 'fortran_order': False, 'shape': ({},", first_dimension);
  for (const std::int64_t size : shape_) dictionary += fmt::format(" {},", size);
  dictionary += "), }";
  dictionary.resize(kHeaderSize - 11, ' ');
  const std::size_t length = kHeaderSize - 10;
  std::string bytes = "\x93NUMPY";
  bytes += '\x01';
  bytes += '\0';
  bytes += static_cast<char>(length & 0xff);
  bytes += static_cast<char>(length >> 8);
  return bytes + dictionary + "\n";
}

Error NpyOutput::write_error() const {
  return Error{path_,
               fmt::format("cannot be written completely: {}",
                           errno != 0 ? std::strerror(errno) : "write error"),
               "free disk space or write elsewhere"};
}

Result<NpyOutput> NpyOutput::open(const std::string& path, const std::vector<std::int64_t>& shape) {
  std::error_code failure;
  if (const fs::file_status status = fs::status(path, failure);
      fs::exists(status) && !fs::is_regular_file(status))
    return Error{path, "is not a regular file, so it cannot be replaced",
                 "give the path of a file"};
  errno = 0;
  NpyOutput output(path, shape);
  if (!output.file_)
    return Error{path, fmt::format("cannot be written: {}", std::strerror(errno)),
                 "check that the folder exists and is writable"};
  output.file_ << output.header(0);
  return output;
}

Result<Done> NpyOutput::append(const double* numbers, std::size_t count) {
  errno = 0;
  file_.write(reinterpret_cast<const char*>(numbers),
              static_cast<std::streamsize>(sizeof(double) * count));
  if (!file_) return write_error();
  return Done{};
}

Result<Done> NpyOutput::finish(std::int64_t first_dimension) {
  errno = 0;
  file_.seekp(0);
  file_ << header(first_dimension);
  file_.close();
  if (!file_) return write_error();
  std::error_code failure;
  fs::rename(aside_, path_, failure);
  if (failure)
    return Error{path_, fmt::format("cannot be moved into place: {}", failure.message()),
                 "check that the file and its folder are writable"};
  aside_.clear();
  return Done{};
}

}  // namespace heft
