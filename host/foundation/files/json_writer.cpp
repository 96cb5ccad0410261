#include "files/json_writer.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

namespace heft {

namespace {

using Json = nlohmann::ordered_json;

/// ASCII that needs no escape.
bool is_plain(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 0x20 && byte < 0x80 && c != '"' && c != '\\';
}

class JsonWriter {
 public:
  JsonWriter(const JsonForm& form, std::string& to) : form_(form), to_(to) {}

  void write(const Json& value) {
    switch (value.type()) {
      case Json::value_t::object:
        return write_object(value.get_ref<const Json::object_t&>());
      case Json::value_t::array:
        return write_array(value.get_ref<const Json::array_t&>());
      case Json::value_t::string:
        if (form_.text_of) return write_text(form_.text_of(value.get_ref<const std::string&>()));
        return write_text(value.get_ref<const std::string&>());
      case Json::value_t::number_float:
        return write_number(value.get_ref<const double&>());
      case Json::value_t::number_integer:
        return write_integer(value.get_ref<const Json::number_integer_t&>());
      case Json::value_t::number_unsigned:
        return write_integer(value.get_ref<const Json::number_unsigned_t&>());
      case Json::value_t::boolean:
        to_ += value.get<bool>() ? "true" : "false";
        return;
      default:
        to_ += value.dump();
    }
  }

 private:
  void write_object(const Json::object_t& object) {
    if (object.empty()) {
      to_ += "{}";
      return;
    }
    std::vector<const Json::object_t::value_type*> members;
    members.reserve(object.size());
    for (const auto& member : object) members.push_back(&member);
    if (form_.sorts_keys)
      std::sort(members.begin(), members.end(),
                [](const auto* a, const auto* b) { return a->first < b->first; });
    to_ += '{';
    ++depth_;
    for (const auto* member : members) {
      begin_item(member == members.front());
      write_text(member->first);
      to_ += form_.indent < 0 ? ":" : ": ";
      write(member->second);
    }
    end('}');
  }

  void write_array(const Json::array_t& array) {
    if (array.empty()) {
      to_ += "[]";
      return;
    }
    to_ += '[';
    ++depth_;
    for (const Json& item : array) {
      begin_item(&item == &array.front());
      write(item);
    }
    end(']');
  }

  void begin_item(bool is_first) {
    if (!is_first) to_ += ',';
    break_line();
  }

  void end(char bracket) {
    --depth_;
    break_line();
    to_ += bracket;
  }

  void break_line() {
    if (form_.indent < 0) return;
    to_ += '\n';
    to_.append(static_cast<std::size_t>(form_.indent * depth_), ' ');
  }

  void write_text(const std::string& text) {
    if (!std::all_of(text.begin(), text.end(), is_plain)) {
      to_ += Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
      return;
    }
    to_ += '"';
    to_ += text;
    to_ += '"';
  }

  /// The digits of dump(), which are not always those of std::to_chars.
  void write_number(double number) {
    if (!std::isfinite(number)) {
      to_ += "null";
      return;
    }
    std::array<char, 64> digits;
    write_raw(digits.data(),
              nlohmann::detail::to_chars(digits.data(), digits.data() + digits.size(), number));
  }

  template <class Integer>
  void write_integer(Integer number) {
    std::array<char, 24> digits;
    write_raw(digits.data(),
              std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr);
  }

  void write_raw(const char* begin, const char* end) {
    to_.append(begin, static_cast<std::size_t>(end - begin));
  }

  const JsonForm& form_;
  std::string& to_;
  int depth_ = 0;
};

}  // namespace

void append_json(const nlohmann::ordered_json& value, const JsonForm& form, std::string& to) {
  JsonWriter(form, to).write(value);
}

Json json_object(std::initializer_list<JsonMember> members) {
  constexpr std::size_t kMore = 4;  // that are often added afterwards
  Json json = Json::object();
  auto& object = json.get_ref<Json::object_t&>();
  object.reserve(members.size() + kMore);
  for (const JsonMember& member : members) object.emplace_back(member.key, std::move(member.value));
  return json;
}

}  // namespace heft
