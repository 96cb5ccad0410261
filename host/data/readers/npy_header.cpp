#include "npy_header.hpp"

#include <fmt/format.h>

#include <bit>
#include <charconv>
#include <cstring>
#include <optional>

namespace heft {

namespace {

static_assert(std::endian::native == std::endian::little,
              "numbers are taken as they lie in the file");

constexpr std::uint64_t kLargestSize = std::uint64_t{1} << 40;  ///< of anything that is counted in
                                                                ///< a header
constexpr int kDeepest = 8;                                     ///< brackets in brackets

/// A Python literal, limited to the types in headers.
struct Literal {
  enum class Kind { text, number, boolean, sequence } kind = Kind::sequence;
  std::string text;
  std::uint64_t number = 0;
  std::vector<Literal> items;  // of lists and tuples; keys and values of dictionaries in turn

  bool is(Kind other) const { return kind == other; }
  /// Value of a key of a dictionary; null if it is not there.
  const Literal* find(std::string_view key) const {
    for (std::size_t k = 0; k + 1 < items.size(); k += 2)
      if (items[k].is(Kind::text) && items[k].text == key) return &items[k + 1];
    return nullptr;
  }
};

/// Reads one literal; empty if the text is invalid.
class LiteralParser {
 public:
  explicit LiteralParser(std::string_view text) : rest_(text) {}

  std::optional<Literal> parse(int depth = 0) {
    skip_blanks();
    if (rest_.empty() || depth > kDeepest) return std::nullopt;
    switch (rest_.front()) {
      case '\'':
      case '"':
        return parse_text();
      case '(':
        return parse_items(')', depth);
      case '[':
        return parse_items(']', depth);
      case '{':
        return parse_items('}', depth);
      default:
        return parse_word();
    }
  }

 private:
  void skip_blanks() {
    while (!rest_.empty() && (rest_.front() == ' ' || rest_.front() == '\n'))
      rest_.remove_prefix(1);
  }

  bool take(char c) {
    skip_blanks();
    if (rest_.empty() || rest_.front() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }

  std::optional<Literal> parse_text() {
    const char quote = rest_.front();
    Literal literal{.kind = Literal::Kind::text};
    for (std::size_t k = 1; k < rest_.size(); ++k) {
      if (rest_[k] == quote) {
        rest_.remove_prefix(k + 1);
        return literal;
      }
      if (rest_[k] == '\\' && ++k == rest_.size()) break;
      literal.text += rest_[k];
    }
    return std::nullopt;
  }

  std::optional<Literal> parse_items(char close, int depth) {
    rest_.remove_prefix(1);
    Literal literal;
    while (!take(close)) {
      auto item = parse(depth + 1);
      if (!item) return std::nullopt;
      literal.items.push_back(std::move(*item));
      if (!take(',') && !take(':') && (skip_blanks(), rest_.empty() || rest_.front() != close))
        return std::nullopt;
    }
    return literal;
  }

  std::optional<Literal> parse_word() {
    for (const std::string_view word : {"True", "False"})
      if (rest_.starts_with(word)) {
        rest_.remove_prefix(word.size());
        return Literal{.kind = Literal::Kind::boolean, .number = word == "True"};
      }
    Literal literal{.kind = Literal::Kind::number};
    const auto [end, error] =
        std::from_chars(rest_.data(), rest_.data() + rest_.size(), literal.number);
    if (error != std::errc() || literal.number > kLargestSize) return std::nullopt;
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    return literal;
  }

  std::string_view rest_;
};

/// The numbers of a tuple, all of them.
std::optional<std::vector<std::uint64_t>> numbers(const Literal& tuple) {
  std::vector<std::uint64_t> result;
  if (!tuple.is(Literal::Kind::sequence)) return std::nullopt;
  for (const Literal& item : tuple.items) {
    if (!item.is(Literal::Kind::number)) return std::nullopt;
    result.push_back(item.number);
  }
  return result;
}

/// '<f8', '|S12', '>i4': byte order, kind, size. NumPy counts the size of 'U' in characters of four
/// bytes.
struct Type {
  NpyNumber number;
  std::size_t size = 0;
};

std::optional<Type> parse_type(const std::string& text) {
  std::uint64_t size = 0;
  if (text.size() < 3) return std::nullopt;
  const auto [end, error] = std::from_chars(text.data() + 2, text.data() + text.size(), size);
  if (error != std::errc() || size > kLargestSize) return std::nullopt;
  Type type{.size = (text[1] == 'U' ? 4 : 1) * size};
  // dates have a unit behind: '<M8[ns]'
  if (*end != '\0' && text[1] != 'M' && text[1] != 'm') return std::nullopt;
  const bool is_little = text[0] == '<' || text[0] == '|' || text[0] == '=';
  type.number.size = type.size;
  const bool fits = size == 1 || size == 2 || size == 4 || size == 8;
  if (is_little && text[1] == 'f' && (size == 4 || size == 8))
    type.number.kind = NpyNumber::Kind::real;
  if (is_little && text[1] == 'i' && fits) type.number.kind = NpyNumber::Kind::signed_integer;
  if (is_little && text[1] == 'u' && fits) type.number.kind = NpyNumber::Kind::unsigned_integer;
  return type;
}

Error no_header(const std::string& path) {
  return Error{path, "begins like a NumPy array, but its header is invalid",
               "save the array again with numpy.save"};
}

Error no_objects(const std::string& path) {
  return Error{path, "contains Python objects, not numbers",
               "save an array of numbers (dtype f4 or f8)"};
}

/// Appends a field ('name', '<f8') or ('name', '<f8', (7,)) to the row.
Result<Done> add_field(const Literal& item, const std::string& path, NpyHeader& header) {
  if (!item.is(Literal::Kind::sequence) || item.items.size() < 2 || item.items.size() > 3)
    return no_header(path);
  // a title precedes the name in a tuple
  const Literal& name = item.items[0].items.size() == 2 ? item.items[0].items[1] : item.items[0];
  const Literal& type_name = item.items[1];
  if (!name.is(Literal::Kind::text)) return no_header(path);
  if (!type_name.is(Literal::Kind::text))
    return Error{path, fmt::format("the field '{}' is itself a structure", name.text),
                 "save numbers or vectors of numbers as separate fields"};
  if (type_name.text.find('O') != std::string::npos) return no_objects(path);
  const auto type = parse_type(type_name.text);
  if (!type) return no_header(path);
  NpyField field{name.text, type->number, header.item_size, false, 1, type_name.text};
  std::uint64_t total = type->size;
  if (item.items.size() == 3) {
    const auto shape = numbers(item.items[2]);
    if (!shape) return no_header(path);
    field.is_vector = true;
    field.count = shape->size() == 1 ? shape->front() : 0;
    for (const std::uint64_t extent : *shape) {
      if (extent > 0 && total > kLargestSize / extent) return no_header(path);
      total *= extent;
    }
  }
  header.item_size += total;
  if (header.item_size > kLargestSize) return no_header(path);
  header.fields.push_back(std::move(field));
  return Done{};
}

template <class Number>
double as_double(const char* bytes) {
  Number number;
  std::memcpy(&number, bytes, sizeof number);
  return static_cast<double>(number);
}

}  // namespace

double NpyNumber::load_other(const char* bytes) const {
  switch (kind) {
    case Kind::real:
      return size == 8 ? as_double<double>(bytes) : as_double<float>(bytes);
    case Kind::signed_integer:
      return size == 8   ? as_double<std::int64_t>(bytes)
             : size == 4 ? as_double<std::int32_t>(bytes)
             : size == 2 ? as_double<std::int16_t>(bytes)
                         : as_double<std::int8_t>(bytes);
    case Kind::unsigned_integer:
      return size == 8   ? as_double<std::uint64_t>(bytes)
             : size == 4 ? as_double<std::uint32_t>(bytes)
             : size == 2 ? as_double<std::uint16_t>(bytes)
                         : as_double<std::uint8_t>(bytes);
    case Kind::none:
      break;
  }
  return 0;
}

Result<NpyText> find_npy_text(std::string_view preamble, const std::string& path) {
  const auto byte = [&](std::size_t k) {
    return static_cast<std::size_t>(static_cast<unsigned char>(preamble[k]));
  };
  if (preamble.size() < kNpyPreamble) return no_header(path);
  const std::size_t version = byte(kNpyMagic.size());
  if (version == 1) return NpyText{10, byte(8) | byte(9) << 8};
  if (version == 2 || version == 3)
    return NpyText{12, byte(8) | byte(9) << 8 | byte(10) << 16 | byte(11) << 24};
  return Error{path, fmt::format("is a NumPy array of unknown version {}", version),
               "save the array again with numpy.save"};
}

Result<NpyHeader> parse_npy_header(std::string_view text, const std::string& path) {
  const auto dictionary = LiteralParser(text).parse();
  if (!dictionary) return no_header(path);
  const Literal* const type = dictionary->find("descr");
  const Literal* const order = dictionary->find("fortran_order");
  const Literal* const shape = dictionary->find("shape");
  if (!type || !order || !shape || !order->is(Literal::Kind::boolean)) return no_header(path);
  NpyHeader header;
  const auto extents = numbers(*shape);
  if (!extents) return no_header(path);
  header.shape = *extents;
  header.fortran_order = order->number != 0;
  header.is_structured = type->is(Literal::Kind::sequence);
  if (header.is_structured) {
    for (const Literal& item : type->items) HEFT_CHECK(add_field(item, path, header));
    return header;
  }
  if (!type->is(Literal::Kind::text)) return no_header(path);
  if (type->text.find('O') != std::string::npos) return no_objects(path);
  const auto plain = parse_type(type->text);
  if (!plain) return no_header(path);
  header.item_size = plain->size;
  header.fields.push_back({"", plain->number, 0, false, 1, type->text});
  return header;
}

}  // namespace heft
