// Parses OMG IDL message definitions as rosidl writes them: modules of structures, typedefs of
// fixed arrays, annotations.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/readable_text.hpp"
#include "message_type.hpp"

namespace heft::bags {

namespace {

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '.' || c == ':' || c == '-' || c == '+';
}

/// Words and single characters; comments, texts and lines of === , # and IDL: are left out.
std::vector<std::string> tokens_of(std::string_view text) {
  std::vector<std::string> tokens;
  const auto skip_line = [&](std::size_t& at) { at = std::min(text.find('\n', at), text.size()); };
  bool is_line_start = true;
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    const std::string_view rest = text.substr(at);
    if (c == '\n') {
      is_line_start = true;
      ++at;
    } else if (c == ' ' || c == '\t' || c == '\r') {
      ++at;
    } else if (rest.starts_with("//") ||
               (is_line_start && (c == '#' || c == '=' || rest.starts_with("IDL:")))) {
      skip_line(at);
    } else if (rest.starts_with("/*")) {
      const std::size_t end = text.find("*/", at + 2);
      at = end == std::string_view::npos ? text.size() : end + 2;
    } else if (c == '"') {
      for (++at; at < text.size() && text[at] != '"'; ++at)
        if (text[at] == '\\') ++at;
      ++at;
      tokens.emplace_back("\"");
      is_line_start = false;
    } else if (is_word(c)) {
      std::size_t end = at;
      while (end < text.size() && is_word(text[end])) ++end;
      tokens.emplace_back(text.substr(at, end - at));
      at = end;
      is_line_start = false;
    } else {
      tokens.emplace_back(1, c);
      ++at;
      is_line_start = false;
    }
  }
  return tokens;
}

class IdlReader {
 public:
  IdlReader(std::string_view text, std::string where)
      : tokens_(tokens_of(text)), where_(std::move(where)) {}

  Result<TypeText> read() {
    while (at_ < tokens_.size()) HEFT_CHECK(definition());
    return std::move(text_);
  }

 private:
  struct Typed {
    Field field;
    std::string type;
  };

  const std::string& peek() const { return at_ < tokens_.size() ? tokens_[at_] : kEnd; }
  std::string take() {
    const std::string token = peek();
    ++at_;
    return token;
  }
  bool skip(std::string_view token) {
    if (peek() != token) return false;
    ++at_;
    return true;
  }

  Error wrong() const {
    return {where_,
            fmt::format("its IDL definition cannot be read at '{}'",
                        readable(first_of_text(peek(), 40))),
            "record it with definitions in the .msg language: rosbag2's MCAP storage writes them"};
  }

  void skip_parentheses() {
    int depth = 0;
    while (at_ < tokens_.size()) {
      const std::string token = take();
      if (token == "(") ++depth;
      if (token == ")" && --depth <= 0) return;
    }
  }
  void skip_statement() {
    while (at_ < tokens_.size() && take() != ";") {
    }
  }

  // annotations before a structure or member
  void annotations() {
    while (skip("@")) {
      const std::string name = take();
      if (name == "final") extensibility_ = Extensibility::final;
      if (name == "appendable") extensibility_ = Extensibility::appendable;
      if (name == "mutable") extensibility_ = Extensibility::mutable_;
      if (name == "extensibility" && at_ + 1 < tokens_.size()) {
        const std::string& what = tokens_[at_ + 1];
        extensibility_ = what == "FINAL"        ? Extensibility::final
                         : what == "APPENDABLE" ? Extensibility::appendable
                                                : Extensibility::mutable_;
      }
      if (peek() == "(") skip_parentheses();
    }
  }

  Result<Done> definition() {
    annotations();
    const std::string word = take();
    if (word == "module") {
      constexpr std::size_t kDeepestModule = 16;
      if (scope_.size() >= kDeepestModule || peek().size() > kLongestName) return wrong();
      scope_.push_back(take());
      return skip("{") ? Result<Done>(Done{}) : wrong();
    }
    if (word == "}") {
      if (!scope_.empty()) scope_.pop_back();
      skip(";");
      return Done{};
    }
    if (word == "struct") return structure();
    if (word == "typedef") return type_definition();
    if (word == "enum") return enumeration();
    if (word == "const" || word == "include") return constant();
    if (word == ";" || word == kEnd) return Done{};
    --at_;
    return wrong();
  }

  Result<Done> constant() {
    // const long N = 7;
    std::string name, value;
    while (at_ < tokens_.size() && peek() != ";") {
      const std::string token = take();
      if (token == "=")
        value = peek();
      else if (value.empty())
        name = token;
    }
    take();
    std::uint32_t number = 0;
    if (std::from_chars(value.data(), value.data() + value.size(), number).ec == std::errc())
      constants_[name] = number;
    return Done{};
  }

  Result<Done> enumeration() {
    aliases_[full_name(take())] = {{.name = {}, .kind = FieldKind::uint32}, ""};
    while (at_ < tokens_.size() && take() != "}") {
    }
    skip(";");
    return Done{};
  }

  Result<Done> type_definition() {
    HEFT_TRY(typed, type());
    const std::string name = take();
    HEFT_CHECK(array_of(typed.field));
    aliases_[full_name(name)] = typed;
    return skip(";") ? Result<Done>(Done{}) : wrong();
  }

  Result<Done> structure() {
    TypeText::NamedStructure made;
    made.extensibility = std::exchange(extensibility_, Extensibility::unstated);
    made.name = full_name(take());
    if (skip(":")) return wrong();
    if (!skip("{")) return wrong();
    while (!skip("}")) {
      annotations();
      if (at_ >= tokens_.size()) return wrong();
      HEFT_TRY(typed, type());
      for (;;) {
        Typed member = typed;
        member.field.name = readable(take());
        HEFT_CHECK(array_of(member.field));
        made.fields.push_back({member.field, member.type});
        if (!skip(",")) break;
      }
      if (!skip(";")) return wrong();
    }
    extensibility_ = Extensibility::unstated;
    skip(";");
    text_.structures.push_back(std::move(made));
    return Done{};
  }

  // [7] behind a name
  Result<Done> array_of(Field& field) {
    if (!skip("[")) return Done{};
    if (field.array != ArrayKind::single) return wrong();
    field.array = ArrayKind::fixed;
    HEFT_TRY(count, number());
    field.count = count;
    return skip("]") && peek() != "[" ? Result<Done>(Done{}) : wrong();
  }

  Result<std::uint32_t> number() {
    const std::string token = take();
    if (const auto constant = constants_.find(token); constant != constants_.end())
      return constant->second;
    std::uint32_t value = 0;
    const auto read = std::from_chars(token.data(), token.data() + token.size(), value);
    if (read.ec != std::errc() || read.ptr != token.data() + token.size()) return wrong();
    return value;
  }

  Result<Typed> type() {
    const std::string word = take();
    if (word == "sequence") {
      if (!skip("<")) return wrong();
      if (peek() == "sequence") return wrong();  // sequences of sequences, however deep
      HEFT_TRY(item, type());
      if (item.field.array != ArrayKind::single) return wrong();
      item.field.array = ArrayKind::sequence;
      if (skip(",")) HEFT_CHECK(number());
      return skip(">") ? Result<Typed>(item) : wrong();
    }
    if (word == "string" || word == "wstring") {
      if (skip("<")) {
        HEFT_CHECK(number());
        if (!skip(">")) return wrong();
      }
      return Typed{{.name = {}, .kind = word == "string" ? FieldKind::text : FieldKind::wide_text},
                   ""};
    }
    return named_type(word);
  }

  Result<Typed> named_type(std::string word) {
    static const std::map<std::string, FieldKind> kKinds = {
        {"boolean", FieldKind::boolean}, {"octet", FieldKind::uint8},
        {"char", FieldKind::uint8},      {"uint8", FieldKind::uint8},
        {"int8", FieldKind::int8},       {"uint16", FieldKind::uint16},
        {"int16", FieldKind::int16},     {"short", FieldKind::int16},
        {"uint32", FieldKind::uint32},   {"int32", FieldKind::int32},
        {"uint64", FieldKind::uint64},   {"int64", FieldKind::int64},
        {"float", FieldKind::float32},   {"double", FieldKind::float64}};
    if (word.size() > kLongestName) return wrong();
    const bool is_unsigned = word == "unsigned";
    if (is_unsigned) word = take();
    if (word == "long" && skip("double")) return wrong();
    if (word == "long") {
      const bool is_long = skip("long");
      return Typed{{.name = {},
                    .kind = is_long ? (is_unsigned ? FieldKind::uint64 : FieldKind::int64)
                                    : (is_unsigned ? FieldKind::uint32 : FieldKind::int32)},
                   ""};
    }
    if (is_unsigned) return Typed{{.name = {}, .kind = FieldKind::uint16}, ""};
    if (const auto kind = kKinds.find(word); kind != kKinds.end())
      return Typed{{.name = {}, .kind = kind->second}, ""};
    for (const std::string& name : {full_name(word), word})
      if (const auto alias = aliases_.find(short_type_name(name)); alias != aliases_.end())
        return alias->second;
    const std::string name =
        word.find("::") == std::string::npos ? full_name(word) : short_type_name(word);
    return Typed{{.name = {}, .kind = FieldKind::structure}, name};
  }

  std::string full_name(const std::string& name) const {
    std::string full;
    for (const std::string& module : scope_) full += module + "/";
    return short_type_name(full + name);
  }

  inline static const std::string kEnd;
  std::vector<std::string> tokens_;
  std::size_t at_ = 0;
  std::string where_;
  std::vector<std::string> scope_;
  std::map<std::string, Typed> aliases_;
  std::map<std::string, std::uint32_t> constants_;
  Extensibility extensibility_ = Extensibility::unstated;
  TypeText text_;
};

}  // namespace

Result<TypeText> read_idl_text(const std::string& text, const std::string& where) {
  return IdlReader(text, where).read();
}

}  // namespace heft::bags
