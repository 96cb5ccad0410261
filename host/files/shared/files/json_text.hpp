// JSON from files that anybody may have written.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#pragma GCC visibility push(default)
namespace heft {

/// Whether arrays and objects nest deeper than in any file of Heft. Values are copied, compared and written by
/// recursion, so that depth must end somewhere.
bool nests_too_deep(const std::string& json);

/// The value that the text holds; discarded (Json::is_discarded) if it is no JSON or nests too deep.
template <class Json = nlohmann::json>
Json parse_json(const std::string& text) {
  if (nests_too_deep(text)) return Json(nlohmann::detail::value_t::discarded);
  return Json::parse(text, nullptr, false);
}

/// What an exception of the library says, without the name in brackets that it begins with.
inline std::string complaint_of(const nlohmann::json::exception& exception) {
  const std::string text = exception.what();
  return text.substr(text.find(']') + 1);
}

}  // namespace heft
#pragma GCC visibility pop
