#include "files/csv_table.hpp"

#include "base/text.hpp"

namespace heft {

namespace {

constexpr std::string_view kSpaces = " \t";  // inside a row

}  // namespace

bool CsvTable::next(std::vector<std::string>& fields) {
  if (at_ == 0 && text_.starts_with("\xEF\xBB\xBF")) at_ = 3;  // a byte order mark
  while (at_ < text_.size()) {
    fields.clear();
    row_line_ = line_;
    std::string field;
    bool in_quotes = false, was_quoted = false, is_blank = true;
    const auto end_field = [&] {
      if (!was_quoted) field = std::string(trimmed(field, kSpaces));
      is_blank = is_blank && field.empty() && !was_quoted;
      fields.push_back(std::move(field));
      field.clear();
      was_quoted = false;
    };
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (in_quotes) {
        line_ += c == '\n';
        if (c != '"') {
          field += c;
        } else if (at_ + 1 < text_.size() && text_[at_ + 1] == '"') {
          field += text_[++at_];
        } else {
          in_quotes = false;
        }
      } else if (c == '"' && field.find_first_not_of(kSpaces) == std::string::npos && !was_quoted) {
        field.clear();
        in_quotes = was_quoted = true;
      } else if (c == ',') {
        end_field();
      } else if (c == '\n') {
        break;
      } else if (c != '\r' && !(was_quoted && (c == ' ' || c == '\t'))) {
        field += c;
      }
    }
    const bool at_line_end = at_ < text_.size();
    is_open_ = in_quotes;
    end_field();
    if (at_line_end) ++at_, ++line_;
    if (fields.size() > 1 || !is_blank) return true;
  }
  return false;
}

std::string csv_quoted(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

std::string csv_field(const std::string& text) {
  const bool is_plain = text.find_first_of(",\"\r\n") == std::string::npos &&
                        !text.starts_with(' ') && !text.starts_with('\t') && !text.ends_with(' ') &&
                        !text.ends_with('\t');
  return is_plain ? text : csv_quoted(text);
}

std::string csv_words(const std::string& text) {
  const bool is_formula = text.find_first_of("=+-@\t\r") == 0;
  return csv_field(is_formula ? "'" + text : text);
}

}  // namespace heft
