#include "csv_reader.hpp"

#include <fast_float/fast_float.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string_view>

#include "decimal.hpp"

namespace heft {

namespace {

constexpr std::size_t kLongestLine = std::size_t{1} << 24;
constexpr std::size_t kMargin = kDecimalMargin;

}  // namespace

Result<CsvReader> CsvReader::open(const std::string& path, const std::string& delimiter,
                                  std::size_t read_size) {
  HEFT_TRY(file, LogFile::open(path));
  if (delimiter != "auto" && !is_delimiter(delimiter))
    return Error{"delimiter", fmt::format("{} is not a delimiter", printable(delimiter)),
                 "give \"auto\" or a single character that is no part of numbers, quotes or line ends"};
  CsvReader reader(std::move(file), std::max<std::size_t>(read_size, 1));
  HEFT_CHECK(reader.read_header(delimiter));
  return reader;
}

Result<Done> CsvReader::read_header(const std::string& delimiter) {
  HEFT_TRY(found, next_line());
  if (!found) return Error{file_.path(), "is empty", "record the log again, or name another file"};

  const char* begin = buffer_.data() + cursor_;
  const char* end = static_cast<const char*>(std::memchr(begin, '\n', lines_end_ - cursor_));
  cursor_ += static_cast<std::size_t>(end - begin) + 1;
  if (std::string_view(begin, end).substr(0, 3) == "\xEF\xBB\xBF") begin += 3;
  fields_ = CsvFields(delimiter == "auto" ? detect_delimiter({begin, end}) : delimiter.front());
  header_names() = fields_.split(begin);
  selected_.assign(header().size(), 0);
  if (std::all_of(header().begin(), header().end(), is_number))
    return Error{where(), "the first line holds numbers, not the names of the columns",
                 "put a header line with the names in front"};
  return check_header();
}

Result<Done> CsvReader::select_columns(const std::vector<int>& columns) {
  selected_.assign(header().size(), 0);
  for (const int column : columns) selected_[static_cast<std::size_t>(column)] = 1;
  return Done{};
}

Result<bool> CsvReader::next_row(double* values) {
  HEFT_TRY(found, next_line());
  if (!found) return false;

  const char* const line = buffer_.data() + cursor_;
  const char* const end = buffer_.data() + lines_end_;
  const std::size_t num_columns = header().size();
  const bool is_marked = !fields_.by_blanks();
  const char* p = fields_.skip_blanks(line);
  for (std::size_t column = 0; column < num_columns; ++column) {
    // the usual field is a plain number or not wanted, and free of blanks and quotes; all else takes the careful way
    const char* const stop = is_marked ? find_either(p, fields_.delimiter(), '\n') : p;
    const bool plain = is_marked && (selected_[column] ? parse_plain_decimal(p, without_return(stop), *values)
                                                       : !is_blank(*p) && *p != '"');
    if (plain) {
      p = stop;
    } else if (selected_[column]) {
      HEFT_TRY(next, read_field(p, end, static_cast<int>(column), *values));
      p = next;
    } else {
      p = fields_.field_end(p);
    }
    values += selected_[column];
    if (*p == '\r' && p[1] == '\n') ++p;
    if (!is_marked) p = fields_.skip_blanks(p);
    const bool last = column + 1 == num_columns;
    if (last != (*p == '\n')) return wrong_field_count(line);
    if (!last && is_marked) ++p;
  }
  cursor_ = static_cast<std::size_t>(p - buffer_.data()) + 1;
  return true;
}

// Any number of the selected column that begins at p; returns its end.
Result<const char*> CsvReader::read_field(const char* p, const char* end, int column, double& value) const {
  const auto [stop, ec] = fast_float::from_chars(p, end, value);
  if (ec == std::errc() && fields_.closes_field(stop) && std::isfinite(value)) return stop;
  const char* const next = fields_.field_end(p);
  const auto number = fields_.number({p, next});
  if (number && !std::isinf(*number)) {
    value = *number;
    return next;
  }
  return Error{where() + ": " + header()[static_cast<std::size_t>(column)],
               printable(unquoted({p, next})) +
                   (number ? " is infinite or beyond what a double holds" : " is not a number"),
               "mend or delete the line; write nan for a value that is missing"};
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
      return Error{place_of(line_ + 1), "a line of more than 16 MB: this is no text table",
                   "name a CSV file"};
    // one more byte for the '\n' of a last line without one
    if (buffer_.size() < data_end_ + read_size_ + 1 + kMargin)
      buffer_.resize(2 * data_end_ + read_size_ + 1 + kMargin);
    HEFT_TRY(size, file_.read(buffer_.data() + data_end_, read_size_));
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

Error CsvReader::wrong_field_count(const char* line) const {
  return Error{where(),
               fmt::format("{} fields where the header has {}", fields_.count(line), header().size()),
               "mend or delete the line (is the file cut off, or a second log appended?)"};
}

std::string CsvReader::place_of(std::int64_t line) const {
  return file_.path() + ":" + std::to_string(line);
}

double CsvReader::fraction_read() const {
  const auto size = static_cast<double>(file_.size());
  return size > 0 ? std::min(1.0, static_cast<double>(file_.position()) / size) : 0.0;
}

}  // namespace heft
