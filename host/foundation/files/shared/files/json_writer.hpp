// Makes and writes large JSON documents.
#pragma once

#include <functional>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#pragma GCC visibility push(default)
namespace heft {

/// How a value becomes text.
struct JsonForm {
  int indent = -1;          ///< spaces a level; -1: everything on one line
  bool sorts_keys = false;  ///< of objects
  /// What is written in place of a text; empty: the text itself.
  std::function<std::string(const std::string&)> text_of = {};
};

/// Appends the text of a value. Unless keys are sorted or texts replaced, the bytes are those of
/// value.dump() with error_handler_t::replace, in fewer steps.
void append_json(const nlohmann::ordered_json& value, const JsonForm& form, std::string& to);

inline std::string json_text(const nlohmann::ordered_json& value, const JsonForm& form = {}) {
  std::string text;
  append_json(value, form, text);
  return text;
}

/// A key and its value.
struct JsonMember {
  template <class Value>
  JsonMember(const char* name, Value&& content) : key(name), value(std::forward<Value>(content)) {}

  const char* key;
  mutable nlohmann::ordered_json value;  ///< is moved from
};

/// Returns the object of these members. Its own list in braces would make an array of every pair
/// first, and copy the members when it grows.
nlohmann::ordered_json json_object(std::initializer_list<JsonMember> members);

}  // namespace heft
#pragma GCC visibility pop
