#include "csv_reader.hpp"

#include <fast_float/fast_float.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string_view>

#include "csv_top.hpp"
#include "decimal.hpp"
#include "readers/iso_stamp.hpp"

namespace heft {

namespace {

constexpr std::size_t kLongestLine = std::size_t{1} << 24;
constexpr std::size_t kMargin = kDecimalMargin;
constexpr std::size_t kMaxLinesAhead = 2000;  ///< examined before the first row is read
constexpr std::size_t kMaxBytesAhead = std::size_t{1} << 20;
constexpr std::size_t kMaxRowsCounted = 64;
constexpr char kCarefully = 2;  ///< what is selected and no plain number

/// "lines 2 to 10, 6107"; the first few if there are many.
std::string line_ranges(const std::vector<std::int64_t>& lines) {
  constexpr int kMostRanges = 8;
  std::string text = "lines ";
  int num_ranges = 0;
  for (std::size_t begin = 0, end = 0; begin < lines.size(); begin = end) {
    for (end = begin + 1; end < lines.size() && lines[end] == lines[end - 1] + 1;) ++end;
    if (++num_ranges > kMostRanges) return text + ", ..";
    if (num_ranges > 1) text += ", ";
    text += end - begin > 1 ? fmt::format("{} to {}", lines[begin], lines[end - 1])
                            : std::to_string(lines[begin]);
  }
  return text;
}

}  // namespace

Result<CsvReader> CsvReader::open(const std::string& path, const std::string& delimiter,
                                  std::size_t read_size) {
  return open(path, LogFormat{.delimiter = delimiter}, read_size);
}

Result<CsvReader> CsvReader::open(const std::string& path, const LogFormat& format,
                                  std::size_t read_size) {
  HEFT_TRY(file, LogFile::open(path));
  if (format.delimiter != "auto" && !is_delimiter(format.delimiter))
    return Error{
        "log.delimiter", fmt::format("{} is not a delimiter", printable(format.delimiter)),
        "give \"auto\" or a single character that does not occur in numbers, quotes or line ends"};
  CsvReader reader(std::move(file), std::max<std::size_t>(read_size, 1));
  reader.drops_damaged_ = format.drop_damaged;
  HEFT_CHECK(reader.read_header(format));
  reader.set_clock(format.time);
  if (format.time_unit == "iso") reader.stamps_ = Stamps::texts;
  if (format.time_unit == "auto") reader.stamps_ = Stamps::undecided;
  HEFT_CHECK(reader.check_fractions());
  return reader;
}

Result<Done> CsvReader::read_header(const LogFormat& format) {
  HEFT_TRY(found, next_line());
  if (!found) return Error{file_.path(), "is empty", "record the log again, or name another file"};

  HEFT_TRY(lines, look_ahead());
  // a line may also end with "\r\n", or "\r\r\n" of Python's csv module on Windows
  const std::size_t last = lines.front().find_last_not_of('\r');
  if (last != std::string_view::npos && lines.front().substr(0, last).find('\r') < last)
    return Error{where(), "its lines end with carriage returns alone",
                 fmt::format("replace them: tr '\\r' '\\n' < {} > log.csv", file_.path())};
  if (lines.front().starts_with("\xEF\xBB\xBF")) lines.front().remove_prefix(3);
  const CsvTop top = find_top(lines, format.delimiter, format.time, format.header);
  const std::string_view line = lines[top.header].substr(top.mark);
  for (const char* p = lines.front().data(); p < line.data(); ++p) line_ += *p == '\n';
  const char* const begin = line.data();
  const char* const end = line.data() + line.size();
  fields_ =
      CsvFields(format.delimiter == "auto" ? detect_delimiter(line) : format.delimiter.front());
  header_names() = fields_.split(begin);
  if (!format.header) return number_columns(format, begin);
  cursor_ = static_cast<std::size_t>(end - buffer_.data()) + 1;
  adapt_to_rows({lines.begin() + static_cast<std::ptrdiff_t>(top.header) + 1, lines.end()});
  selected_.assign(header().size(), 0);
  const auto is_value = [](const std::string& name) {
    return is_number(name) || parse_iso_stamp(name);
  };
  if (std::all_of(header().begin(), header().end(), is_value))
    return Error{
        where(), "the first line contains numbers, not column names",
        "add a header line with the column names, or set log.header: false and name the columns "
        "with log.columns or by number: log: {header: false, time: 1, position: \"{i+1}\", ..}"};
  return check_header();
}

// A delimiter at the end of every row, or of the header alone.
void CsvReader::adapt_to_rows(std::vector<std::string_view> rows) {
  rows.resize(std::min(rows.size(), kMaxRowsCounted));
  const std::size_t num_columns = header().size();
  rows_end_with_delimiter_ = rows_have_empty_end(rows, fields_, num_columns);
  usual_count_ = common_count(rows, fields_);
  if (num_columns > 1 && usual_count_ + 1 == num_columns && header().back().empty())
    header_names().pop_back();
}

// All nonblank lines from the cursor on that can be examined before rows are read.
Result<std::vector<std::string_view>> CsvReader::look_ahead() {
  std::size_t counted = cursor_, num_lines = 0;
  while (true) {
    while (num_lines < kMaxLinesAhead && counted < lines_end_) {
      const void* end = std::memchr(buffer_.data() + counted, '\n', lines_end_ - counted);
      counted = static_cast<std::size_t>(static_cast<const char*>(end) - buffer_.data()) + 1;
      ++num_lines;
    }
    if (end_of_file_ || num_lines >= kMaxLinesAhead || data_end_ - cursor_ >= kMaxBytesAhead) break;
    HEFT_CHECK(read_more());
  }
  std::vector<std::string_view> lines;
  std::string_view rest(buffer_.data() + cursor_, lines_end_ - cursor_);
  while (!rest.empty() && lines.size() < kMaxLinesAhead) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(line.size() + 1);
    if (std::any_of(line.begin(), line.end(), [](char c) { return !is_blank(c); }) || lines.empty())
      lines.push_back(line);
  }
  return lines;
}

// Before rows are read, which would show it as a time that goes backwards.
Result<Done> CsvReader::check_fractions() {
  const int clock = groups().front().clock;
  if (clock < 0 || stamps_ == Stamps::texts) return Done{};
  HEFT_TRY(lines, look_ahead());
  const std::string example = unpadded_fraction(lines, fields_, static_cast<std::size_t>(clock));
  if (example.empty()) return Done{};
  return Error{
      file_.path() + ": " + header()[static_cast<std::size_t>(clock)],
      "the stamps are seconds, a point and a fraction without its leading zeros: " + example,
      "print all digits of the fraction (nanoseconds by printf: %d.%09d), or seconds and "
      "nanoseconds as two columns: log: {time: "
      "[SECONDS, NANOSECONDS]}"};
}

// The line at `first_line` is the first row already: it is read again.
Result<Done> CsvReader::number_columns(const LogFormat& format, const char* first_line) {
  const auto is_name = [](const std::string& field) {
    return !field.empty() && !is_number(field) && field != "nan" && !parse_iso_stamp(field);
  };
  if (std::all_of(header().begin(), header().end(), is_name))
    return Error{where(),
                 fmt::format("the first line contains names: {} ..", printable(header().front())),
                 "remove log.header, or set it to true"};
  const std::size_t num_columns = header().size();
  if (!format.columns.empty() && format.columns.size() != num_columns)
    return Error{
        "log.columns",
        fmt::format("names {} columns, but {} has {}", format.columns.size(), where(), num_columns),
        "name all columns of the table, in order; or remove it to name them by their numbers"};
  for (std::size_t k = 0; k < num_columns; ++k)
    header_names()[k] = format.columns.empty() ? std::to_string(k + 1) : format.columns[k];
  cursor_ = static_cast<std::size_t>(first_line - buffer_.data());
  --line_;
  selected_.assign(num_columns, 0);
  return check_header();
}

Result<Done> CsvReader::select_columns(const std::vector<int>& columns) {
  selected_.assign(header().size(), 0);
  for (const int column : columns)
    selected_[static_cast<std::size_t>(column)] =
        stamps_ == Stamps::texts && column == groups().front().clock ? kCarefully : 1;
  return Done{};
}

Result<bool> CsvReader::next_row(double* values) {
  for (;;) {
    HEFT_TRY(found, next_line());
    if (!found) return false;
    const auto row = read_whole_row(values);
    if (row) return true;
    if (!drops_damaged_) return with_damaged_rows(row.error());
    skip_line();
  }
}

void CsvReader::skip_line() {
  cursor_ =
      static_cast<std::size_t>(
          std::find(buffer_.data() + cursor_, buffer_.data() + lines_end_, '\n') - buffer_.data()) +
      1;
}

// Reads on to count damaged rows; no rows are returned after an error.
Error CsvReader::with_damaged_rows(Error first) {
  constexpr double kMostRows = 0.5;  // beyond it, the whole file is damaged
  std::vector<double> values(header().size());
  std::vector<std::int64_t> damaged{line_};
  for (skip_line();;) {
    const auto found = next_line();
    if (!found || !*found) break;
    if (read_whole_row(values.data())) continue;
    damaged.push_back(line_);
    skip_line();
  }
  const std::int64_t num_rows = std::ssize(damaged) + num_rows_read_;
  if (static_cast<double>(damaged.size()) > kMostRows * static_cast<double>(num_rows)) return first;
  if (damaged.size() > 1)
    first.what += fmt::format("; {} of {} rows are damaged: {}", damaged.size(), num_rows,
                              line_ranges(damaged));
  first.remedy += damaged.size() > 1 ? "; log.drop_damaged: true drops these rows"
                                     : "; log.drop_damaged: true drops it";
  return first;
}

// A damaged row must not determine what the first row determines.
Result<Done> CsvReader::read_whole_row(double* values) {
  const int clock = groups().front().clock;
  const Stamps stamps = stamps_;
  const auto origin = origin_;
  const char selected = clock < 0 ? char{0} : selected_[static_cast<std::size_t>(clock)];
  auto row = read_row(values);
  if (!row) {
    stamps_ = stamps;
    origin_ = origin;
    if (clock >= 0) selected_[static_cast<std::size_t>(clock)] = selected;
  }
  return row;
}

Result<Done> CsvReader::read_row(double* values) {
  const char* const line = buffer_.data() + cursor_;
  const char* const end = buffer_.data() + lines_end_;
  const std::size_t num_columns = header().size();
  const bool is_marked = !fields_.by_blanks();
  const char* p = fields_.skip_blanks(line);
  for (std::size_t column = 0; column < num_columns; ++column) {
    // the usual field is a plain number or not wanted, and free of blanks and quotes; all else
    // takes the careful way
    const char* const stop = is_marked ? find_either(p, fields_.delimiter(), '\n') : p;
    const bool plain =
        is_marked && (selected_[column] == kCarefully ? false
                      : selected_[column] ? parse_plain_decimal(p, without_return(stop), *values)
                                          : !is_blank(*p) && *p != '"');
    if (plain) {
      p = stop;
    } else if (selected_[column]) {
      HEFT_TRY(next, read_field(p, end, static_cast<int>(column), *values));
      p = next;
    } else {
      p = fields_.field_end(p);
    }
    values += selected_[column] != 0;
    if (*p == '\r' && p[1] == '\n') ++p;
    if (!is_marked) p = fields_.skip_blanks(p);
    const bool last = column + 1 == num_columns;
    if (last && rows_end_with_delimiter_ && *p == fields_.delimiter())
      p = fields_.skip_blanks(p + 1);
    if (last != (*p == '\n')) return wrong_field_count(line);
    if (!last && is_marked) ++p;
  }
  cursor_ = static_cast<std::size_t>(p - buffer_.data()) + 1;
  if (stamps_ == Stamps::undecided) stamps_ = Stamps::numbers;  // the first row decides
  ++num_rows_read_;
  return Done{};
}

// Any number of the selected column that begins at p; returns its end.
Result<const char*> CsvReader::read_field(const char* p, const char* end, int column,
                                          double& value) {
  if (stamps_ != Stamps::numbers && column == groups().front().clock) {
    const char* const next = fields_.field_end(p);
    const auto number = fields_.number({p, next});
    if (stamps_ == Stamps::undecided) stamps_ = number ? Stamps::numbers : Stamps::texts;
    if (stamps_ == Stamps::texts) {
      selected_[static_cast<std::size_t>(column)] = kCarefully;
      HEFT_TRY(stamp, read_stamp(unquoted({p, next}), column));
      value = stamp;
      return next;
    }
  }
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
                   (number ? " is infinite or beyond the range of a double" : " is not a number"),
               "fix or delete the line; write nan for a value that is missing"};
}

// Seconds since the whole second of the first stamp.
Result<double> CsvReader::read_stamp(std::string_view field, int column) {
  if (field.empty()) return std::numeric_limits<double>::quiet_NaN();
  const auto stamp = parse_iso_stamp(field);
  if (!stamp)
    return Error{where() + ": " + header()[static_cast<std::size_t>(column)],
                 printable(field) + " is neither a number nor a time like 2026-03-01T08:15:00.25Z",
                 "fix or delete the line; log.time names the time column, log.time_unit its unit"};
  if (!origin_) origin_ = stamp->seconds;
  return static_cast<double>(stamp->seconds - *origin_) + stamp->fraction;
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

// Moves the unfinished line to the front and reads on until at least one line is whole, or the file
// ends.
Result<Done> CsvReader::refill() {
  const std::size_t rest = data_end_ - lines_end_;
  if (rest > 0) std::memmove(buffer_.data() + kMargin, buffer_.data() + lines_end_, rest);
  cursor_ = lines_end_ = kMargin;
  data_end_ = kMargin + rest;
  while (lines_end_ == kMargin && !end_of_file_) HEFT_CHECK(read_more());
  return Done{};
}

// The buffer's contents keep their place.
Result<Done> CsvReader::read_more() {
  if (data_end_ - lines_end_ > kLongestLine)
    return Error{place_of(line_ + 1), "a line of more than 16 MB: this is not a text table",
                 "name a CSV file"};
  // one more byte for the '\n' of a last line without one
  if (buffer_.size() < data_end_ + read_size_ + 1 + kMargin)
    buffer_.resize(2 * data_end_ + read_size_ + 1 + kMargin);
  HEFT_TRY(size, file_.read(buffer_.data() + data_end_, read_size_));
  const std::size_t searched = data_end_;
  data_end_ += size;
  if (size < read_size_) {
    end_of_file_ = true;
    if (data_end_ > lines_end_ && buffer_[data_end_ - 1] != '\n') buffer_[data_end_++] = '\n';
  }
  const auto last = std::string_view(buffer_.data() + searched, data_end_ - searched).rfind('\n');
  if (last != std::string_view::npos) lines_end_ = searched + last + 1;
  return Done{};
}

Error CsvReader::wrong_field_count(const char* line) const {
  const std::size_t count = fields_.count(line);
  const std::string what = fmt::format("{} fields, but the header has {}", count, header().size());
  if (count != usual_count_) {
    return Error{where(), what,
                 "fix or delete the line (the file may be truncated, or a second log appended)"};
  }
  const std::string first = header().empty() ? "" : printable(header().front());
  return Error{
      where(), what + "; the following rows have the same number: the header is wrong",
      fmt::format(
          "name every column once in the header, which begins with {}; delete the lines above it "
          "and a # before the names",
          first)};
}

std::string CsvReader::place_of(std::int64_t line) const {
  return line > 0 ? file_.path() + ":" + std::to_string(line) : file_.path();
}

double CsvReader::fraction_read() const {
  const auto size = static_cast<double>(file_.size());
  return size > 0 ? std::min(1.0, static_cast<double>(file_.position()) / size) : 0.0;
}

}  // namespace heft
