// Parses .msg definitions of ROS 1 and 2: the type itself, then its nested types after lines of
// ===.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string>
#include <string_view>
#include <utility>

#include "base/readable_text.hpp"
#include "message_type.hpp"

namespace heft::bags {

namespace {

constexpr std::string_view kBlanks = " \t\r";

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

std::string_view next_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return line;
}

struct Primitive {
  std::string_view name;
  FieldKind kind;
};
constexpr Primitive kPrimitives[] = {
    {"bool", FieldKind::boolean},      {"byte", FieldKind::uint8},
    {"char", FieldKind::uint8},        {"uint8", FieldKind::uint8},
    {"int8", FieldKind::int8},         {"uint16", FieldKind::uint16},
    {"int16", FieldKind::int16},       {"uint32", FieldKind::uint32},
    {"int32", FieldKind::int32},       {"uint64", FieldKind::uint64},
    {"int64", FieldKind::int64},       {"float32", FieldKind::float32},
    {"float64", FieldKind::float64},   {"string", FieldKind::text},
    {"wstring", FieldKind::wide_text},
};

class MsgReader {
 public:
  MsgReader(bool is_ros1, std::string where) : is_ros1_(is_ros1), where_(std::move(where)) {}

  Result<TypeText> read(std::string_view text, const std::string& type) {
    begin(short_type_name(type));
    while (!text.empty()) {
      const std::string_view line = trimmed(next_line(text));
      if (line.starts_with("===")) {
        is_between_ = true;
      } else if (line.starts_with("MSG:") && is_between_) {
        is_between_ = false;
        begin(short_type_name(std::string(trimmed(line.substr(4)))));
      } else if (!line.empty() && line.front() != '#') {
        HEFT_CHECK(field(line));
      }
    }
    return std::move(text_);
  }

 private:
  void begin(std::string name) {
    package_ = name.substr(0, std::min(name.find('/'), kLongestName));
    text_.structures.push_back({std::move(name), {}, Extensibility::final});
  }

  Error wrong(std::string_view line) const {
    return {where_,
            fmt::format("its message definition has a line that is not a field: '{}'",
                        readable(first_of_text(line, 60))),
            "record it again with the right definitions"};
  }

  Result<Done> field(std::string_view line) {
    const std::size_t blank = line.find_first_of(kBlanks);
    if (blank == std::string_view::npos) return wrong(line);
    std::string_view type = line.substr(0, blank);
    const std::string_view rest = trimmed(line.substr(blank));
    const std::size_t end = rest.find_first_of(" \t=#");
    const std::string_view name = rest.substr(0, end);
    if (name.empty()) return wrong(line);
    if (end != std::string_view::npos && trimmed(rest.substr(end)).starts_with("="))
      return Done{};  // a constant

    TypeText::NamedField made;
    made.field.name = readable(name);
    if (const std::size_t bracket = type.find('['); bracket != std::string_view::npos) {
      const std::string_view size = type.substr(bracket + 1, type.find(']', bracket) - bracket - 1);
      type = type.substr(0, bracket);
      made.field.array =
          size.empty() || size.starts_with("<=") ? ArrayKind::sequence : ArrayKind::fixed;
      if (made.field.array == ArrayKind::fixed) {
        const auto read = std::from_chars(size.data(), size.data() + size.size(), made.field.count);
        if (read.ec != std::errc() || read.ptr != size.data() + size.size()) return wrong(line);
      }
    }
    type = type.substr(0, type.find("<="));  // bounds of texts
    made.field.kind = kind_of(type, made.type);
    text_.structures.back().fields.push_back(std::move(made));
    return Done{};
  }

  FieldKind kind_of(std::string_view type, std::string& structure) {
    const auto* primitive = std::find_if(std::begin(kPrimitives), std::end(kPrimitives),
                                         [&](const Primitive& one) { return one.name == type; });
    if (primitive != std::end(kPrimitives))
      return is_ros1_ && type == "byte" ? FieldKind::int8 : primitive->kind;
    if (is_ros1_ && (type == "time" || type == "duration")) {
      structure = type;
      add_time(type);
    } else if (type.find('/') != std::string_view::npos) {
      structure = short_type_name(std::string(type));
    } else {
      structure = type == "Header" ? "std_msgs/Header" : package_ + "/" + std::string(type);
    }
    return FieldKind::structure;
  }

  // primitives of ROS 1
  void add_time(std::string_view type) {
    const bool is_signed = type == "duration";
    for (const auto& structure : text_.structures)
      if (structure.name == type) return;
    const FieldKind kind = is_signed ? FieldKind::int32 : FieldKind::uint32;
    TypeText::NamedStructure time{std::string(type), {}, Extensibility::final};
    time.fields.push_back({{.name = "secs", .kind = kind}, ""});
    time.fields.push_back({{.name = "nsecs", .kind = kind}, ""});
    text_.structures.insert(text_.structures.begin(), std::move(time));
  }

  bool is_ros1_, is_between_ = false;
  std::string where_, package_;
  TypeText text_;
};

}  // namespace

Result<TypeText> read_msg_text(const std::string& text, const std::string& type, bool is_ros1,
                               const std::string& where) {
  return MsgReader(is_ros1, where).read(text, type);
}

}  // namespace heft::bags
