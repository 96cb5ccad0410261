#include "log/table_reader.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <string_view>
#include <unordered_map>

#include "csv_reader.hpp"
#include "hdf5_reader.hpp"
#include "npy_reader.hpp"

namespace heft {

namespace {

/// The first bytes of a file that can be read twice; none of a pipe or a device.
std::string first_bytes(const std::string& path, std::size_t count) {
  std::error_code failure;
  if (!std::filesystem::is_regular_file(path, failure)) return {};
  std::string bytes(count, '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(bytes.data(), static_cast<std::streamsize>(count));
  bytes.resize(static_cast<std::size_t>(file.gcount()));
  return bytes;
}

template <class Reader>
Result<std::unique_ptr<TableReader>> as_table(Result<Reader> reader) {
  if (!reader) return reader.error();
  return std::unique_ptr<TableReader>(std::make_unique<Reader>(std::move(*reader)));
}

}  // namespace

Result<Done> TableReader::check_header() const {
  std::unordered_map<std::string_view, std::size_t> first;
  first.reserve(header_.size());
  for (std::size_t k = 0; k < header_.size(); ++k) {
    const auto [other, is_new] = first.emplace(header_[k], k);
    if (!is_new && !header_[k].empty())
      return Error{
          where(),
          fmt::format("columns {} and {} are both named {}", other->second + 1, k + 1, printable(header_[k])),
          "rename one of them"};
  }
  return Done{};
}

std::string printable(std::string_view text) {
  std::string shown(text.substr(0, 24));
  for (char& c : shown) c = static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? '?' : c;
  return "'" + shown + (text.size() > 24 ? "..'" : "'");
}

Result<std::unique_ptr<TableReader>> open_table(const std::string& path, const LogFormat& format,
                                                std::size_t read_size) {
  const std::string bytes = first_bytes(path, kHdf5Magic.size());
  if (bytes.starts_with(kNpyMagic)) return as_table(NpyReader::open(path, format.columns, read_size));
  if (bytes == kHdf5Magic) return as_table(Hdf5Reader::open(path, format.columns));
  return as_table(CsvReader::open(path, format.delimiter, read_size));
}

}  // namespace heft
