#include "csv_top.hpp"

#include <algorithm>
#include <optional>

#include "base/text.hpp"
#include "decimal.hpp"
#include "readers/iso_stamp.hpp"

namespace heft {

namespace {

/// Fields of a single line, copied with the margins and '\n' that the parser needs.
std::vector<std::string> fields_of(std::string_view line, const CsvFields& fields) {
  std::string text(kDecimalMargin, ' ');
  text.append(line).push_back('\n');
  text.append(kDecimalMargin, ' ');
  return fields.split(text.data() + kDecimalMargin);
}

/// Length of a comment mark and the blanks after it; 0 without a mark.
std::size_t mark_of(std::string_view line) {
  std::size_t size = line.starts_with("//") ? 2 : 0;
  if (size == 0)
    while (size < line.size() && (line[size] == '#' || line[size] == '%')) ++size;
  if (size == 0) return 0;
  while (size < line.size() && is_blank(line[size])) ++size;
  return size;
}

bool is_value(const std::string& field) {
  // fast path for names: the only values that begin with a letter are inf and nan
  const char first = field.empty() ? 'x' : field.front();
  const bool is_letter = (first >= 'a' && first <= 'z') || (first >= 'A' && first <= 'Z');
  if (is_letter && first != 'i' && first != 'I' && first != 'n' && first != 'N') return false;
  return is_number(field) || parse_iso_stamp(field).has_value();
}

/// Rows consist mostly of numbers.
bool is_row(const std::vector<std::string>& fields) {
  const auto filled =
      std::count_if(fields.begin(), fields.end(), [](const auto& one) { return !one.empty(); });
  return filled > 1 && 2 * std::count_if(fields.begin(), fields.end(), is_value) >= filled;
}

bool is_header(const std::vector<std::string>& fields) {
  return std::none_of(fields.begin(), fields.end(), is_value);
}

CsvFields grammar(std::string_view line, const std::string& delimiter) {
  return CsvFields(delimiter == "auto" ? detect_delimiter(line) : delimiter.front());
}

std::vector<std::string> without_empty_end(std::vector<std::string> fields) {
  if (fields.size() > 1 && fields.back().empty()) fields.pop_back();
  return fields;
}

/// The first line after which only rows follow; the number of lines without such a line. `usual`:
/// the fields of the first line.
std::size_t first_row(const Lines& lines, const std::vector<std::string>& usual,
                      const std::string& delimiter) {
  for (std::size_t k = 0; k < lines.size(); ++k) {
    if (mark_of(lines[k]) > 0 || (k == 0 && !is_row(usual))) continue;
    const CsvFields fields = grammar(lines[k], delimiter);
    const auto one = fields_of(lines[k], fields);
    if (!is_row(one)) continue;
    if (k + 1 == lines.size() || fields_of(lines[k + 1], fields).size() == one.size()) return k;
  }
  return lines.size();
}

bool names_time(const std::vector<std::string>& names, const std::string& time) {
  return std::find(names.begin(), names.end(), time) != names.end();
}

/// The fraction of a stamp as text and as an integer.
struct Stamp {
  double printed = 0, digits = 0;
  std::string seconds, fraction;
};

std::optional<Stamp> stamp_of(const std::string& text) {
  constexpr std::size_t kMaxDigits = 9;
  const std::size_t point = text.find('.');
  if (point == std::string::npos || point == 0 ||
      text.find_first_not_of("0123456789.") != std::string::npos)
    return {};
  const std::string fraction = text.substr(point + 1);
  if (fraction.empty() || fraction.size() > kMaxDigits || fraction.find('.') != std::string::npos)
    return {};
  return Stamp{std::stod("0." + fraction), std::stod(fraction), text.substr(0, point), fraction};
}

}  // namespace

CsvTop find_top(const Lines& lines, const std::string& delimiter, const std::string& time,
                bool has_header) {
  if (lines.empty()) return {};
  if (!has_header) {
    const auto first =
        std::find_if(lines.begin(), lines.end(), [](auto line) { return mark_of(line) == 0; });
    return {first == lines.end() ? 0 : static_cast<std::size_t>(first - lines.begin()), 0};
  }
  const auto usual = fields_of(lines.front(), grammar(lines.front(), delimiter));
  const bool is_comment = mark_of(lines.front()) > 0;
  const std::size_t row = first_row(lines, usual, delimiter);
  if (row == lines.size() || row == 0) return {};
  const CsvFields of_rows = grammar(lines[row], delimiter);
  const std::size_t width = without_empty_end(fields_of(lines[row], of_rows)).size();
  const bool is_as_wide = without_empty_end(usual).size() == width;
  const bool is_lone_mark = mark_of(usual.front()) == usual.front().size();
  if (is_as_wide && !is_comment) return {};
  if (names_time(usual, time) && (is_as_wide || !is_lone_mark)) return {};

  std::optional<CsvTop> found;
  bool has_time = false;
  std::size_t num_found = 0;
  for (std::size_t k = 0; k < row; ++k) {
    const std::size_t mark = mark_of(lines[k]);
    const std::string_view line = lines[k].substr(mark);
    if (line.empty()) continue;
    const auto names = without_empty_end(fields_of(line, grammar(line, delimiter)));
    if (names.size() != width || !is_header(names)) continue;
    const bool with_time = names_time(names, time);
    if (has_time && !with_time) continue;
    found = CsvTop{k, mark};
    has_time = has_time || with_time;
    num_found += mark == 0;
  }
  // a line of units below the names, without unique names
  if (!found || (num_found > 1 && !has_time)) return {};
  if (found->mark > 0 &&
      lines[found->header].substr(0, found->mark).find_first_of(" \t") == std::string_view::npos) {
    // "%time" and "#t" may be names that a configuration writes so
    const auto raw = fields_of(lines[found->header], grammar(lines[found->header], delimiter));
    if (lines[found->header].front() == '%' && raw.size() == width) found->mark = 0;
  }
  return *found;
}

bool rows_have_empty_end(const Lines& rows, const CsvFields& fields, std::size_t num_columns) {
  if (fields.by_blanks() || rows.empty()) return false;
  return std::all_of(rows.begin(), rows.end(), [&](std::string_view row) {
    const auto one = fields_of(row, fields);
    return one.size() == num_columns + 1 && one.back().empty();
  });
}

std::size_t common_count(const Lines& rows, const CsvFields& fields) {
  if (rows.size() < 2) return 0;
  const std::size_t count = fields_of(rows.front(), fields).size();
  const bool agree = std::all_of(rows.begin(), rows.end(), [&](std::string_view row) {
    return fields_of(row, fields).size() == count;
  });
  return agree ? count : 0;
}

std::string unpadded_fraction(const Lines& rows, const CsvFields& fields, std::size_t column) {
  std::optional<Stamp> before, example;
  std::size_t longest = 0;
  for (const std::string_view row : rows) {
    const auto all = fields_of(row, fields);
    const auto stamp = column < all.size() ? stamp_of(all[column]) : std::nullopt;
    if (!stamp) return {};
    if (before && stamp->seconds == before->seconds) {
      if (stamp->digits < before->digits) return {};
      if (stamp->printed < before->printed && !example) example = before;
    }
    longest = std::max(longest, stamp->fraction.size());
    before = stamp;
  }
  if (!example) return {};
  const std::size_t num_digits = longest <= 3 ? 3 : longest <= 6 ? 6 : 9;
  const std::string seconds = example->seconds + ".",
                    zeros(num_digits - example->fraction.size(), '0');
  return seconds + example->fraction + " means " + seconds + zeros + example->fraction;
}

}  // namespace heft
