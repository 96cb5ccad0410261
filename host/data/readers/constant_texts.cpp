#include "readers/constant_texts.hpp"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string_view>

#include "csv_fields.hpp"
#include "csv_top.hpp"
#include "decimal.hpp"
#include "readers/log_formats.hpp"

namespace heft {

namespace {

constexpr std::uintmax_t kPiece = 1 << 18;  ///< bytes at the begin and at the end of the file
constexpr std::size_t kMaxLines = 500;

/// Whole lines of a piece of the file.
std::vector<std::string> lines_at(std::ifstream& file, std::uintmax_t begin) {
  std::string text(kPiece, '\0');
  file.clear();
  file.seekg(static_cast<std::streamoff>(begin));
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  std::vector<std::string> lines;
  std::size_t at = begin == 0 ? 0 : std::min(text.find('\n'), text.size() - 1) + 1;
  for (std::size_t end;
       lines.size() < kMaxLines && (end = text.find('\n', at)) != std::string::npos; at = end + 1)
    if (text.find_first_not_of(" \t\r", at) < end) lines.push_back(text.substr(at, end - at));
  return lines;
}

std::vector<std::string> split(const std::string& line, const CsvFields& fields) {
  const std::string margin(kDecimalMargin, ' ');
  const std::string text = margin + line + '\n' + margin;
  return fields.split(text.data() + margin.size());
}

}  // namespace

std::vector<std::string> constant_texts(const std::string& path, const LogFormat& format) {
  std::error_code failure;
  const std::uintmax_t size = std::filesystem::file_size(path, failure);
  if (failure || size == 0 || format_of_file(path) != "csv") return {};
  std::ifstream file(path, std::ios::binary);
  std::vector<std::string> lines = lines_at(file, 0);
  if (lines.empty()) return {};
  const CsvTop top =
      find_top({lines.begin(), lines.end()}, format.delimiter, format.time, format.header);
  const std::string header = lines[top.header].substr(top.mark);
  const CsvFields fields(format.delimiter == "auto" ? detect_delimiter(header)
                                                    : format.delimiter.front());
  const std::size_t num_columns = split(header, fields).size();
  lines.erase(lines.begin(),
              lines.begin() + static_cast<std::ptrdiff_t>(top.header + (format.header ? 1 : 0)));
  if (size > kPiece) {
    const auto last = lines_at(file, size - kPiece);
    lines.insert(lines.end(), last.begin(), last.end());
  }
  std::vector<std::string> texts;
  for (const std::string& line : lines) {
    const auto row = split(line, fields);
    if (texts.empty()) texts = row;
    for (std::size_t k = 0; k < texts.size(); ++k)
      if (k >= row.size() || row[k] != texts[k] || is_number(texts[k])) texts[k].clear();
  }
  texts.resize(num_columns);
  return texts;
}

}  // namespace heft
