// The formats of files that are logs: one line each.
#include <filesystem>
#include <fstream>
#include <memory>
#include <string_view>

#include "csv_reader.hpp"
#include "hdf5_reader.hpp"
#include "heft/log/source.hpp"
#include "log/format_of_file.hpp"
#include "npy_reader.hpp"

namespace heft {

namespace {

constexpr std::size_t kSignature = 20;  ///< bytes from which a format is told

// what logs come in, too, and are not read
constexpr std::string_view kGzipMagic = "\x1f\x8b";
constexpr std::string_view kZipMagic = "PK\x03\x04";
constexpr std::string_view kZstdMagic = "\x28\xb5\x2f\xfd";
constexpr std::string_view kXzMagic =
    "\xfd"
    "7zXZ";
constexpr std::string_view kParquetMagic = "PAR1\x15";
constexpr std::string_view kMatlabMagic = "MATLAB 5.0 MAT-file";
constexpr std::string_view kPickleMagic = "\x80\x04\x95";

Result<SourcePtr> refuse(const std::string& path, const char* what, const std::string& remedy) {
  return Error{path, what, remedy};
}

Result<Done> check_stamps_are_numbers(const std::string& path, const LogFormat& format) {
  if (format.time_unit != "iso") return Done{};
  return Error{path, "has stamps that are numbers: only a text table holds times as texts",
               "set log.time_unit: s, ms, us, ns or auto"};
}

template <class Reader>
Result<SourcePtr> as_source(Result<Reader> reader, const LogFormat& format) {
  if (!reader) return reader.error();
  reader->set_clock(format.time);
  return SourcePtr(std::make_unique<Reader>(std::move(*reader)));
}

struct FileFormat {
  std::string_view magic;  ///< the file's first bytes
  std::string_view name;   ///< as manifests call it; empty: it is not read
  Result<SourcePtr> (*open)(const std::string& path, const LogFormat& format, std::size_t read_size);
};

// in the order in which they are tried; what is no other format is text
constexpr FileFormat kFileFormats[] = {
    {kNpyMagic, "npy",
     [](const std::string& path, const LogFormat& format, std::size_t read_size) -> Result<SourcePtr> {
       HEFT_CHECK(check_stamps_are_numbers(path, format));
       return as_source(NpyReader::open(path, format.columns, read_size), format);
     }},
    {kHdf5Magic, "hdf5",
     [](const std::string& path, const LogFormat& format, std::size_t) -> Result<SourcePtr> {
       HEFT_CHECK(check_stamps_are_numbers(path, format));
       return as_source(Hdf5Reader::open(path, format.columns), format);
     }},
    {kGzipMagic, "",
     [](const std::string& path, const LogFormat&, std::size_t) {
       return refuse(path, "is compressed by gzip",
                     "unpack it (gunzip -k " + path + ") and name what comes out");
     }},
    {kZipMagic, "",
     [](const std::string& path, const LogFormat&, std::size_t) {
       return refuse(path, "is a zip archive, as numpy.savez makes (npz)",
                     "unpack it and name a file in it; of NumPy, save one structured array: "
                     "numpy.save('log.npy', numpy.rec.fromarrays(list(z.values()), names=list(z)))");
     }},
    {kZstdMagic, "",
     [](const std::string& path, const LogFormat&, std::size_t) {
       return refuse(path, "is compressed by zstd", "unpack it (zstd -d) and name what comes out");
     }},
    {kXzMagic, "",
     [](const std::string& path, const LogFormat&, std::size_t) {
       return refuse(path, "is compressed by xz", "unpack it (xz -dk) and name what comes out");
     }},
    {kParquetMagic, "",
     [](const std::string& path, const LogFormat&, std::size_t) {
       return refuse(path, "is a Parquet file",
                     "write it as CSV: pandas.read_parquet(..).to_csv('log.csv', index=False)");
     }},
    {kMatlabMagic, "",
     [](const std::string& path, const LogFormat&, std::size_t) {
       return refuse(path, "is a MAT-file before version 7.3",
                     "save it with -v7.3, which is HDF5, or write a CSV");
     }},
    {kPickleMagic, "",
     [](const std::string& path, const LogFormat&, std::size_t) {
       return refuse(path, "is a Python pickle, which is a program, not data",
                     "write it as CSV or with numpy.save");
     }},
    {"", "csv",
     [](const std::string& path, const LogFormat& format, std::size_t read_size) {
       return as_source(CsvReader::open(path, format, read_size), format);
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

const FileFormat& format_by_bytes(const std::string& path) {
  const std::string bytes = first_bytes(path);
  const FileFormat* found = kFileFormats;
  while (!bytes.starts_with(found->magic)) ++found;
  return *found;
}

}  // namespace

std::string_view format_of_file(const std::string& path) {
  return format_by_bytes(path).name;
}

Result<SourcePtr> open_file(const std::string& path, const LogFormat& format, std::size_t read_size) {
  return format_by_bytes(path).open(path, format, read_size);
}

Log::Log(std::string path)
    : name_(std::move(path)),
      open_([path = name_](const LogFormat& format) { return open_file(path, format); }) {}

}  // namespace heft
