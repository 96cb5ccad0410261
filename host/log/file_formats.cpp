// The formats of files that are logs: one line each.
#include <filesystem>
#include <fstream>
#include <memory>
#include <string_view>

#include "csv_reader.hpp"
#include "hdf5_reader.hpp"
#include "heft/log/source.hpp"
#include "npy_reader.hpp"

namespace heft {

namespace {

constexpr std::size_t kSignature = 16;  ///< bytes from which a format is told

template <class Reader>
Result<SourcePtr> as_source(Result<Reader> reader, const LogFormat& format) {
  if (!reader) return reader.error();
  reader->set_clock(format.time);
  return SourcePtr(std::make_unique<Reader>(std::move(*reader)));
}

struct FileFormat {
  std::string_view magic;  ///< the file's first bytes
  Result<SourcePtr> (*open)(const std::string& path, const LogFormat& format, std::size_t read_size);
};

// in the order in which they are tried; what is no other format is text
constexpr FileFormat kFileFormats[] = {
    {kNpyMagic,
     [](const std::string& path, const LogFormat& format, std::size_t read_size) {
       return as_source(NpyReader::open(path, format.columns, read_size), format);
     }},
    {kHdf5Magic, [](const std::string& path, const LogFormat& format,
                    std::size_t) { return as_source(Hdf5Reader::open(path, format.columns), format); }},
    {"",
     [](const std::string& path, const LogFormat& format, std::size_t read_size) {
       return as_source(CsvReader::open(path, format.delimiter, read_size), format);
     }},
};

/// The first bytes of a file that can be read twice; none of a pipe or a device.
std::string first_bytes(const std::string& path) {
  std::error_code failure;
  if (!std::filesystem::is_regular_file(path, failure)) return {};
  std::string bytes(kSignature, '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  bytes.resize(static_cast<std::size_t>(file.gcount()));
  return bytes;
}

}  // namespace

Result<SourcePtr> open_file(const std::string& path, const LogFormat& format, std::size_t read_size) {
  const std::string bytes = first_bytes(path);
  const FileFormat* found = kFileFormats;
  while (!bytes.starts_with(found->magic)) ++found;
  return found->open(path, format, read_size);
}

Log::Log(std::string path)
    : name_(std::move(path)),
      open_([path = name_](const LogFormat& format) { return open_file(path, format); }) {}

}  // namespace heft
