// The grammar of a line of a text table: where a field ends, and which number it holds.
//
// Fields are parted by one mark, or by blanks; they may be quoted, and blanks around them do not
// count. A line ends with
// '\n' or "\r\n". Pointers run over text whose every line has its '\n', with kDecimalMargin
// readable characters around it.
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

/// The first of two marks from p on; one of them must come.
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

/// The end of a field without the '\r' of a line's end.
inline const char* without_return(const char* end) {
  return *end == '\n' && end[-1] == '\r' ? end - 1 : end;
}

/// A single mark that ends neither lines nor quotes, and is no part of a number.
bool is_delimiter(std::string_view text);

/// The delimiter that a header shows: the rarer a mark is inside names, the more it tells.
char detect_delimiter(std::string_view header);

/// The whole of `text` is a number, with a decimal point or comma.
bool is_number(std::string_view text);

/// What is left of a field without the blanks and quotes around it.
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

  /// Behind the blanks in front of a field, or between fields where blanks are the delimiter.
  const char* skip_blanks(const char* p) const {
    while (is_blank(*p) && (by_blanks() || *p != delimiter_)) ++p;
    return p;
  }

  /// The delimiter or line end that closes the field at p; what a quoted field holds does not close
  /// it.
  const char* field_end(const char* p) const;

  /// All fields of the line at p, without blanks and quotes around them.
  std::vector<std::string> split(const char* p) const;

  std::size_t count(const char* p) const;  ///< of the fields of the line at p

  /// The number of a field; nan of an empty one. None if it is no number; infinity is the caller's
  /// to judge.
  std::optional<double> number(std::string_view field) const;

 private:
  char delimiter_;
};

}  // namespace heft
