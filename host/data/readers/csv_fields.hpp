// Grammar of a line of a text table: the end of each field and its number.
//
// Fields are separated by one delimiter or by blanks; they may be quoted, and surrounding blanks
// are ignored. A line ends with '\n' or "\r\n". Pointers refer to text whose lines all end with
// '\n', with kDecimalMargin readable characters around it.
#pragma once

#ifdef __SSE2__
#include <emmintrin.h>

#include <bit>
#endif

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace heft {

inline bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r';
}

/// Returns the first of two characters from p on; one of them must occur.
inline const char* find_either(const char* p, char a, char b) {
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

/// Returns the end of a field, excluding the '\r' of a line end.
inline const char* without_return(const char* end) {
  return *end == '\n' && end[-1] == '\r' ? end - 1 : end;
}

/// Whether a character is a valid delimiter: not a line end or quote, and not part of a number.
bool is_delimiter(std::string_view text);

/// Returns the delimiter of a header; characters that are rarer in names take precedence.
char detect_delimiter(std::string_view header);

/// Returns whether all of `text` is a number, with a decimal point or comma.
bool is_number(std::string_view text);

/// Returns a field without surrounding blanks and quotes.
std::string_view unquoted(std::string_view text);

class CsvFields {
 public:
  explicit CsvFields(char delimiter = ',') : delimiter_(delimiter) {}

  bool by_blanks() const { return delimiter_ == ' '; }
  char delimiter() const { return delimiter_; }

  bool separates(char c) const { return c == delimiter_ || (by_blanks() && c == '\t'); }
  bool closes_field(const char* p) const {
    return separates(*p) || *p == '\n' || (*p == '\r' && p[1] == '\n');
  }

  /// Skips the blanks before a field, or between fields if blanks are the delimiter.
  const char* skip_blanks(const char* p) const {
    while (is_blank(*p) && (by_blanks() || *p != delimiter_)) ++p;
    return p;
  }

  /// Returns the delimiter or line end that closes the field at p; ignores those within quotes.
  const char* field_end(const char* p) const;

  /// Returns all fields of the line at p, without surrounding blanks and quotes.
  std::vector<std::string> split(const char* p) const;

  std::size_t count(const char* p) const;  ///< number of fields in the line at p

  /// Returns the number in a field, NaN for an empty one; nothing if it is not a number. The caller
  /// must handle infinity.
  std::optional<double> number(std::string_view field) const;

 private:
  char delimiter_;
};

}  // namespace heft
