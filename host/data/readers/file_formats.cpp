// The formats of logs, one line each, shared by readers, help, manifests and searches for logs.
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string_view>

#include "bag_source.hpp"
#include "bags/recording.hpp"
#include "csv_reader.hpp"
#include "hdf5_reader.hpp"
#include "heft/log/several_files.hpp"
#include "heft/log/source.hpp"
#include "npy_reader.hpp"
#include "readers/log_formats.hpp"

namespace heft {

namespace {

constexpr std::size_t kSignature = 20;  ///< bytes that identify a format

// other formats of logs, which are not read
constexpr std::string_view kGzipMagic = "\x1f\x8b";
constexpr std::string_view kZipMagic = "PK\x03\x04";
constexpr std::string_view kZstdMagic = "\x28\xb5\x2f\xfd";
constexpr std::string_view kXzMagic =
    "\xfd"
    "7zXZ";
constexpr std::string_view kParquetMagic = "PAR1\x15";
constexpr std::string_view kMatlabMagic = "MATLAB 5.0 MAT-file";
constexpr std::string_view kPickleMagic = "\x80\x04", kPickle5Magic = "\x80\x05";
constexpr std::string_view kRosbagMagic = "#ROSBAG V";
constexpr std::string_view kNetcdfMagic = "CDF\x01", kNetcdf64Magic = "CDF\x02",
                           kNetcdf5Magic = "CDF\x05";
constexpr std::string_view kFeatherMagic = "ARROW1";
constexpr std::string_view kUlogMagic = "ULog\x01\x12\x35";
constexpr std::string_view kTdmsMagic = "TDSm";
constexpr std::string_view kMdfMagic = "MDF     ";
constexpr std::string_view kBzip2Magic = "BZh";
constexpr std::string_view kExcelMagic = "\xd0\xcf\x11\xe0";
// no bytes of a file: a folder that holds meta/info.json
constexpr std::string_view kLerobotFolder = "\xfflerobot";
constexpr std::string_view kUtf16Magic = "\xff\xfe", kUtf16BigMagic = "\xfe\xff";

Result<SourcePtr> refuse(const std::string& path, const char* what, const std::string& remedy) {
  return Error{path, what, remedy};
}

Result<SourcePtr> refuse_pickle(const std::string& path, const LogFormat&, std::size_t) {
  return refuse(path, "is a Python pickle, which is a program, not data",
                "write it as CSV or with numpy.save");
}

/// The command that converts a log of another format to one with this ending.
std::string convert_log(const std::string& path, const char* ending) {
  namespace fs = std::filesystem;
  fs::path out = path;
  if (!out.has_filename()) out = out.parent_path();  // a folder with a slash behind
  out.replace_extension(ending);
  const auto quoted = [](const std::string& text) {
    return text.find_first_of(" '\"$&;()") == std::string::npos ? text : "'" + text + "'";
  };
  return "convert it with Heft's Python module: python3 -m heft_robot convert-log " + quoted(path) +
         " " + quoted(out.string());
}

Result<Done> check_stamps_are_numbers(const std::string& path, const LogFormat& format) {
  if (format.time_unit != "iso") return Done{};
  return Error{path, "has numeric stamps: only a text table can contain times as text",
               "set log.time_unit: s, ms, us, ns or auto"};
}

template <class Reader>
Result<SourcePtr> as_source(Result<Reader> reader, const LogFormat& format) {
  if (!reader) return reader.error();
  reader->set_clock(format.time);
  return SourcePtr(std::make_unique<Reader>(std::move(*reader)));
}

// in the order in which they are tried; text is the last
constexpr FileFormat kFileFormats[] = {
    {kNpyMagic, "npy", "NPY", ".npy",
     [](const std::string& path, const LogFormat& format,
        std::size_t read_size) -> Result<SourcePtr> {
       HEFT_CHECK(check_stamps_are_numbers(path, format));
       return as_source(NpyReader::open(path, format.columns, read_size), format);
     }},
    {kHdf5Magic, "hdf5", "HDF5", ".h5 .hdf5",
     [](const std::string& path, const LogFormat& format, std::size_t) -> Result<SourcePtr> {
       HEFT_CHECK(check_stamps_are_numbers(path, format));
       const bool has_angle_unit = format.angle_unit != "rad" && format.angle_unit != "auto";
       const bool has_units =
           has_angle_unit || format.time_unit != "auto" || format.time_scale != 1;
       return as_source(Hdf5Reader::open(path, format.columns, format.time, has_units), format);
     }},
    {kGzipMagic, "", "", "",
     [](const std::string& path, const LogFormat&, std::size_t) {
       return refuse(path, "is compressed with gzip",
                     "unpack it (gunzip -k " + path + ") and name the unpacked file");
     }},
    {kZipMagic, "", "", "",
     [](const std::string& path, const LogFormat&, std::size_t) {
       return refuse(path, "is a zip archive, such as numpy.savez writes (npz)",
                     convert_log(path, ".npy") +
                         "; unpack other archives and name a file in them; save the sheet of a "
                         "workbook (.xlsx) as CSV");
     }},
    {kZstdMagic, "", "", "",
     [](const std::string& path, const LogFormat&, std::size_t) {
       return refuse(path, "is compressed with zstd",
                     "unpack it (zstd -d) and name the unpacked file");
     }},
    {kXzMagic, "", "", "",
     [](const std::string& path, const LogFormat&, std::size_t) {
       return refuse(path, "is compressed with xz",
                     "unpack it (xz -dk) and name the unpacked file");
     }},
    {kParquetMagic, "", "", "",
     [](const std::string& path, const LogFormat&, std::size_t) {
       return refuse(path, "is a Parquet file", convert_log(path, ".npy"));
     }},
    {kMatlabMagic, "", "", "",
     [](const std::string& path, const LogFormat&, std::size_t) {
       return refuse(path, "is a MAT-file before version 7.3",
                     convert_log(path, ".npy") + "; or save it with -v7.3, which is HDF5");
     }},
    {kPickleMagic, "", "", "", refuse_pickle},
    {kPickle5Magic, "", "", "", refuse_pickle},
    {bags::kMcapMagic, "mcap", "MCAP", ".mcap",
     [](const std::string& path, const LogFormat& format, std::size_t) {
       return open_bag(path, format);
     }},
    {bags::kSqliteMagic, "bag", "ROS 2 bag", ".db3",
     [](const std::string& path, const LogFormat& format, std::size_t) {
       return open_bag(path, format);
     }},
    {kRosbagMagic, "", "", "",
     [](const std::string& path, const LogFormat&, std::size_t) {
       return refuse(path, "is a ROS 1 bag",
                     convert_log(path, ".mcap") + "; or in ROS 1, rostopic echo -b " + path +
                         " -p /joint_states > log.csv");
     }},
    {kNetcdfMagic, "", "", "",
     [](const std::string& path, const LogFormat&, std::size_t) {
       return refuse(path, "is a classic netCDF file",
                     convert_log(path, ".npy") + "; or convert it to netCDF-4: nccopy -k nc4 " +
                         path + " log.nc");
     }},
    {kNetcdf64Magic, "", "", "",
     [](const std::string& path, const LogFormat&, std::size_t) {
       return refuse(path, "is a classic netCDF file",
                     convert_log(path, ".npy") + "; or convert it to netCDF-4: nccopy -k nc4 " +
                         path + " log.nc");
     }},
    {kNetcdf5Magic, "", "", "",
     [](const std::string& path, const LogFormat&, std::size_t) {
       return refuse(path, "is a classic netCDF file",
                     "convert it to netCDF-4, which is HDF5: nccopy -k nc4 " + path + " log.nc");
     }},
    {kFeatherMagic, "", "", "",
     [](const std::string& path, const LogFormat&, std::size_t) {
       return refuse(path, "is an Arrow file (Feather)", convert_log(path, ".npy"));
     }},
    {kLerobotFolder, "", "", "",
     [](const std::string& path, const LogFormat&, std::size_t) {
       return refuse(path, "is a LeRobot dataset", convert_log(path, ".npy"));
     }},
    {kUlogMagic, "", "", "",
     [](const std::string& path, const LogFormat&, std::size_t) {
       return refuse(path, "is a PX4 ULog file", "convert it with PyPI's pyulog: ulog2csv " + path);
     }},
    {kTdmsMagic, "", "", "",
     [](const std::string& path, const LogFormat&, std::size_t) {
       return refuse(path, "is a LabVIEW TDMS file",
                     "write it as CSV with PyPI's npTDMS: "
                     "nptdms.TdmsFile.read(..).as_dataframe().to_csv('log.csv', index=False)");
     }},
    {kMdfMagic, "", "", "",
     [](const std::string& path, const LogFormat&, std::size_t) {
       return refuse(
           path, "is an MDF measurement file (.mf4)",
           "write it as CSV with PyPI's asammdf: asammdf.MDF(..).export('csv', 'log.csv')");
     }},
    {kBzip2Magic, "", "", "",
     [](const std::string& path, const LogFormat&, std::size_t) {
       return refuse(path, "is compressed with bzip2",
                     "unpack it (bunzip2 -k " + path + ") and name the unpacked file");
     }},
    {kExcelMagic, "", "", "",
     [](const std::string& path, const LogFormat&, std::size_t) {
       return refuse(path, "is an Excel workbook (.xls)", "save the sheet as CSV");
     }},
    {kUtf16Magic, "", "", "",
     [](const std::string& path, const LogFormat&, std::size_t) {
       return refuse(path, "is text in UTF-16",
                     "convert it to UTF-8: iconv -f UTF-16 -t UTF-8 " + path + " > log.csv");
     }},
    {kUtf16BigMagic, "", "", "",
     [](const std::string& path, const LogFormat&, std::size_t) {
       return refuse(path, "is text in UTF-16",
                     "convert it to UTF-8: iconv -f UTF-16 -t UTF-8 " + path + " > log.csv");
     }},
    {"", "csv", "CSV", ".csv .txt .tsv",
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

bool is_lerobot_folder(const std::string& path) {
  std::error_code failure;
  return std::filesystem::is_regular_file(std::filesystem::path(path) / "meta" / "info.json",
                                          failure);
}

/// HDF5 may begin behind a block of the user's own, as in every MATLAB v7.3 file: at byte 512,
/// 1024, 2048, ..
bool is_hdf5_behind_a_user_block(const std::string& path) {
  std::error_code failure;
  if (!std::filesystem::is_regular_file(path, failure)) return false;
  const std::uintmax_t size = std::filesystem::file_size(path, failure);
  std::ifstream file(path, std::ios::binary);
  std::string bytes(kHdf5Magic.size(), '\0');
  for (std::uintmax_t at = 512; !failure && file && at < size; at *= 2) {
    file.seekg(static_cast<std::streamoff>(at));
    file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    if (file && bytes == kHdf5Magic) return true;
  }
  return false;
}

const FileFormat& format_by_bytes(const std::string& path, std::span<const FileFormat> formats) {
  const bool is_bag = bags::is_bag_folder(path) || bags::is_compressed_recording(path);
  const std::string bytes = is_bag                    ? std::string(bags::kSqliteMagic)
                            : is_lerobot_folder(path) ? std::string(kLerobotFolder)
                                                      : first_bytes(path);
  const auto has_magic = [](std::string_view text) {
    return [text](const FileFormat& format) { return text.starts_with(format.magic); };
  };
  auto found = std::find_if(formats.begin(), formats.end(), has_magic(bytes));
  if (!found->name.empty() && found->magic.empty() && is_hdf5_behind_a_user_block(path))
    found = std::find_if(formats.begin(), formats.end(), has_magic(kHdf5Magic));
  return *found;
}

}  // namespace

std::span<const FileFormat> file_formats() {
  return kFileFormats;
}

std::string_view format_of_file(const std::string& path, std::span<const FileFormat> formats) {
  return format_by_bytes(path, formats).name;
}

Result<SourcePtr> open_file_as(std::span<const FileFormat> formats, const std::string& path,
                               const LogFormat& format, std::size_t read_size) {
  return format_by_bytes(path, formats).open(path, format, read_size);
}

Result<SourcePtr> open_file(const std::string& path, const LogFormat& format,
                            std::size_t read_size) {
  return open_file_as(file_formats(), path, format, read_size);
}

Log::Log(std::string path)
    : name_(std::move(path)),
      open_([path = name_](const LogFormat& format) { return open_log(path, format); }) {}

}  // namespace heft
