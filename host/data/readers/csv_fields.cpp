#include "csv_fields.hpp"

#include <fast_float/fast_float.h>

#include <limits>

namespace heft {

namespace {

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

// RFC 4180: a quote inside a quoted field is written twice
std::string without_doubled_quotes(std::string_view text) {
  std::string single(text);
  for (std::size_t at = 0; (at = single.find("\"\"", at)) != std::string::npos; ++at)
    single.erase(at, 1);
  return single;
}

// The whole of `text` as a number with the given decimal mark.
bool parse(std::string_view text, char decimal_mark, double& value) {
  if (!text.empty() && text.front() == '+') text.remove_prefix(1);
  const char* end = text.data() + text.size();
  const auto result = fast_float::from_chars_advanced(
      text.data(), end, value,
      fast_float::parse_options(fast_float::chars_format::general, decimal_mark));
  return result.ec == std::errc() && result.ptr == end;
}

}  // namespace

bool is_delimiter(std::string_view text) {
  return text.size() == 1 &&
         std::string_view(" \t!#$%&*,/:;<=>?@\\^_`|~").find(text[0]) != std::string_view::npos;
}

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

bool is_number(std::string_view text) {
  double value = 0;
  return parse(text, '.', value) || parse(text, ',', value);
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

const char* CsvFields::field_end(const char* p) const {
  p = skip_blanks(p);
  if (*p == '"') {
    const char* q = p + 1;
    while (*q != '\n' && (*q != '"' || q[1] == '"')) q += *q == '"' ? 2 : 1;
    if (*q == '"') p = q + 1;
  }
  while (!closes_field(p)) ++p;
  return p;
}

std::vector<std::string> CsvFields::split(const char* p) const {
  std::vector<std::string> fields;
  for (p = skip_blanks(p);;) {
    const char* next = field_end(p);
    fields.emplace_back(without_doubled_quotes(unquoted({p, next})));
    p = skip_blanks(next);
    if (!separates(*next) || (by_blanks() && *p == '\n')) return fields;
    if (!by_blanks()) p = skip_blanks(next + 1);
  }
}

std::size_t CsvFields::count(const char* p) const {
  std::size_t fields = 1;
  for (p = skip_blanks(p);;) {
    p = field_end(p);
    if (by_blanks()) p = skip_blanks(p);
    if (*p == '\n' || *p == '\r') return fields;
    if (!by_blanks()) ++p;
    ++fields;
  }
}

std::optional<double> CsvFields::number(std::string_view field) const {
  const std::string_view text = unquoted(field);
  if (text.empty()) return std::numeric_limits<double>::quiet_NaN();
  double value = 0;
  if (parse(text, '.', value) || (delimiter_ != ',' && parse(text, ',', value))) return value;
  return std::nullopt;
}

}  // namespace heft
