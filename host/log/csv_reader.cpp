#include "host/log/csv_reader.hpp"

#include <fast_float/fast_float.h>
#include <fmt/format.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <limits>
#include <string_view>

#include "host/log/decimal.hpp"

namespace heft {

namespace {

constexpr std::size_t kLongestLine = std::size_t{1} << 24;
constexpr std::size_t kMargin = kDecimalMargin;

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r';
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

std::string_view unquoted(std::string_view text) {
  text = trimmed(text);
  if (text.size() >= 2 && text.front() == '"' && text.back() == '"') {
    text.remove_prefix(1);
    text.remove_suffix(1);
    text = trimmed(text);
  }
  return text;
}

// The first of two marks from p on; one of them must come, and 16 bytes behind it be readable.
const char* find_either(const char* p, char a, char b) {
#ifdef __SSE2__
  const __m128i all_a = _mm_set1_epi8(a), all_b = _mm_set1_epi8(b);
  for (;; p += 16) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
    const int found =
        _mm_movemask_epi8(_mm_or_si128(_mm_cmpeq_epi8(bytes, all_a), _mm_cmpeq_epi8(bytes, all_b)));
    if (found != 0) return p + std::countr_zero(static_cast<unsigned>(found));
  }
#else
  while (*p != a && *p != b) ++p;
  return p;
#endif
}

// The end of a field without the '\r' of a line's end.
const char* without_return(const char* end) {
  return *end == '\n' && end[-1] == '\r' ? end - 1 : end;
}

// The whole of `text` as a number with the given decimal mark.
bool parse(std::string_view text, char decimal_mark, double& value) {
  if (!text.empty() && text.front() == '+') text.remove_prefix(1);
  const char* end = text.data() + text.size();
  const auto result = fast_float::from_chars_advanced(
      text.data(), end, value, fast_float::parse_options(fast_float::chars_format::general, decimal_mark));
  return result.ec == std::errc() && result.ptr == end;
}

// A single mark that ends neither lines nor quotes, and is no part of a number.
bool is_delimiter(const std::string& text) {
  return text.size() == 1 &&
         std::string_view(" \t!#$%&*,/:;<=>?@\\^_`|~").find(text[0]) != std::string_view::npos;
}

// The delimiter that the header shows: the rarer a mark is inside names, the more it tells.
char detect_delimiter(std::string_view header) {
  bool seen[128] = {};
  bool in_quotes = false;
  for (const char c : header) {
    if (c == '"') in_quotes = !in_quotes;
    if (!in_quotes && c > 0) seen[static_cast<int>(c)] = true;
  }
  for (const char c : {';', '\t', ','})
    if (seen[static_cast<int>(c)]) return c;
  return seen[static_cast<int>(' ')] ? ' ' : ',';
}

}  // namespace

Result<CsvReader> CsvReader::open(const std::string& path, const std::string& delimiter,
                                  std::size_t read_size) {
  CsvReader reader;
  reader.path_ = path;
  reader.read_size_ = std::max<std::size_t>(read_size, 1);
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored))
    return Error{path, "is a folder, not a log", "name a CSV file in it"};
  reader.file_.reset(std::fopen(path.c_str(), "rb"));
  if (!reader.file_)
    return Error{path, fmt::format("cannot be opened: {}", std::strerror(errno)),
                 "check the path and the file's permissions"};
  // blocks are large: the C library's own buffer would only copy them once more
  std::setvbuf(reader.file_.get(), nullptr, _IONBF, 0);
  const auto size = std::filesystem::file_size(path, ignored);
  reader.file_size_ = ignored ? 0 : size;
  if (delimiter != "auto" && !is_delimiter(delimiter))
    return Error{"delimiter", fmt::format("{} is not a delimiter", printable(delimiter)),
                 "give \"auto\" or a single character that is no part of numbers, quotes or line ends"};
  HEFT_CHECK(reader.read_header(delimiter));
  return reader;
}

Result<Done> CsvReader::read_header(const std::string& delimiter) {
  HEFT_TRY(found, next_line());
  if (!found) return Error{path_, "is empty", "record the log again, or name another file"};

  const char* begin = buffer_.data() + cursor_;
  const char* end = static_cast<const char*>(std::memchr(begin, '\n', lines_end_ - cursor_));
  cursor_ += static_cast<std::size_t>(end - begin) + 1;
  if (std::string_view(begin, end).substr(0, 3) == "\xEF\xBB\xBF") begin += 3;
  delimiter_ = delimiter == "auto" ? detect_delimiter({begin, end}) : delimiter.front();

  for (const char* p = skip_blanks(begin);;) {
    const char* next = field_end(p);
    header_.emplace_back(unquoted({p, next}));
    p = skip_blanks(next);
    if (!separates(*next) || (delimiter_ == ' ' && *p == '\n')) break;
    if (delimiter_ != ' ') p = skip_blanks(next + 1);
  }
  selected_.assign(header_.size(), 0);

  double value = 0;
  const bool numbers = std::all_of(header_.begin(), header_.end(), [&](const std::string& name) {
    return parse(name, '.', value) || parse(name, ',', value);
  });
  if (numbers)
    return Error{where(), "the first line holds numbers, not the names of the columns",
                 "put a header line with the names in front"};
  return check_header();
}

Result<Done> CsvReader::select(const std::vector<int>& columns) {
  selected_.assign(header_.size(), 0);
  for (const int column : columns) selected_[static_cast<std::size_t>(column)] = 1;
  return Done{};
}

Result<bool> CsvReader::next_row(double* values) {
  HEFT_TRY(found, next_line());
  if (!found) return false;

  const char* const line = buffer_.data() + cursor_;
  const char* const end = buffer_.data() + lines_end_;
  const std::size_t num_columns = header_.size();
  const bool is_marked = delimiter_ != ' ';
  const char* p = skip_blanks(line);
  for (std::size_t column = 0; column < num_columns; ++column) {
    // the usual field is a plain number or not wanted, and free of blanks and quotes; all else takes the careful way
    const char* const stop = is_marked ? find_either(p, delimiter_, '\n') : p;
    const bool plain = is_marked && (selected_[column] ? parse_plain_decimal(p, without_return(stop), *values)
                                                       : !is_blank(*p) && *p != '"');
    if (plain) {
      p = stop;
    } else if (selected_[column]) {
      HEFT_TRY(next, read_field(p, end, static_cast<int>(column), *values));
      p = next;
    } else {
      p = field_end(p);
    }
    values += selected_[column];
    if (*p == '\r' && p[1] == '\n') ++p;
    if (delimiter_ == ' ') p = skip_blanks(p);
    const bool last = column + 1 == num_columns;
    if (last != (*p == '\n')) return wrong_field_count(line);
    if (!last && delimiter_ != ' ') ++p;
  }
  cursor_ = static_cast<std::size_t>(p - buffer_.data()) + 1;
  return true;
}

// Any number of the selected column that begins at p; returns its end.
Result<const char*> CsvReader::read_field(const char* p, const char* end, int column, double& value) const {
  const auto [stop, ec] = fast_float::from_chars(p, end, value);
  if (ec == std::errc() && closes_field(stop) && std::isfinite(value)) return stop;
  const char* const next = field_end(p);
  HEFT_TRY(converted, convert(p, next, column));
  value = converted;
  return next;
}

Result<bool> CsvReader::next_line() {
  for (;;) {
    if (cursor_ == lines_end_) {
      HEFT_CHECK(refill());
      if (cursor_ == lines_end_) return false;
    }
    ++line_;
    std::size_t p = cursor_;
    while (is_blank(buffer_[p])) ++p;
    if (buffer_[p] != '\n') return true;
    cursor_ = p + 1;
  }
}

// Moves the unfinished line to the front and reads on until at least one line is whole, or the file ends.
Result<Done> CsvReader::refill() {
  const std::size_t rest = data_end_ - lines_end_;
  if (rest > 0) std::memmove(buffer_.data() + kMargin, buffer_.data() + lines_end_, rest);
  cursor_ = lines_end_ = kMargin;
  data_end_ = kMargin + rest;
  while (lines_end_ == kMargin && !end_of_file_) {
    if (data_end_ > kLongestLine)
      return Error{path_ + ":" + std::to_string(line_ + 1),
                   "a line of more than 16 MB: this is no text table", "name a CSV file"};
    // one more byte for the '\n' of a last line without one
    if (buffer_.size() < data_end_ + read_size_ + 1 + kMargin)
      buffer_.resize(2 * data_end_ + read_size_ + 1 + kMargin);
    const std::size_t size = read_bytes(buffer_.data() + data_end_);
    if (std::ferror(file_.get()))
      return Error{path_, fmt::format("cannot be read: {}", std::strerror(errno)), "check the disk"};
    sha256_.update(buffer_.data() + data_end_, size);
    bytes_read_ += size;
    const std::size_t searched = data_end_;
    data_end_ += size;
    if (size < read_size_) {
      end_of_file_ = true;
      if (data_end_ > kMargin && buffer_[data_end_ - 1] != '\n') buffer_[data_end_++] = '\n';
    }
    const auto last = std::string_view(buffer_.data() + searched, data_end_ - searched).rfind('\n');
    if (last != std::string_view::npos) lines_end_ = searched + last + 1;
  }
  return Done{};
}

std::size_t CsvReader::read_bytes(char* to) {
  const DiskTimer timer(*this);
  return std::fread(to, 1, read_size_, file_.get());
}

Result<double> CsvReader::convert(const char* begin, const char* end, int column) const {
  const std::string_view text = unquoted({begin, end});
  if (text.empty()) return std::numeric_limits<double>::quiet_NaN();
  double value = 0;
  const bool number = parse(text, '.', value) || (delimiter_ != ',' && parse(text, ',', value));
  if (number && !std::isinf(value)) return value;
  return Error{where() + ": " + header_[static_cast<std::size_t>(column)],
               printable(text) + (number ? " is infinite or beyond what a double holds" : " is not a number"),
               "mend or delete the line; write nan for a value that is missing"};
}

// The delimiter or line end that closes the field at p; what a quoted field holds does not close it.
const char* CsvReader::field_end(const char* p) const {
  p = skip_blanks(p);
  if (*p == '"') {
    const char* q = p + 1;
    while (*q != '"' && *q != '\n') ++q;
    if (*q == '"') p = q + 1;
  }
  while (!closes_field(p)) ++p;
  return p;
}

// Blanks in front of a field, or between fields where blanks are the delimiter.
const char* CsvReader::skip_blanks(const char* p) const {
  while (is_blank(*p) && (delimiter_ == ' ' || *p != delimiter_)) ++p;
  return p;
}

Error CsvReader::wrong_field_count(const char* line) const {
  std::size_t fields = 1;
  for (const char* p = skip_blanks(line);;) {
    p = field_end(p);
    if (delimiter_ == ' ') p = skip_blanks(p);
    if (*p == '\n' || *p == '\r') break;
    if (delimiter_ != ' ') ++p;
    ++fields;
  }
  return Error{where(), fmt::format("{} fields where the header has {}", fields, header_.size()),
               "mend or delete the line (is the file cut off, or a second log appended?)"};
}

std::string CsvReader::where(std::int64_t line) const {
  return path_ + ":" + std::to_string(line);
}

double CsvReader::fraction_read() const {
  return file_size_ > 0 ? std::min(1.0, static_cast<double>(bytes_read_) / static_cast<double>(file_size_))
                        : 0.0;
}

}  // namespace heft
