// JSON from files that anybody may have written, and numbers that JSON cannot hold.
#pragma once

#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#pragma GCC visibility push(default)
namespace heft {

/// Whether arrays and objects nest deeper than in any file of Heft. Values are copied, compared and
/// written by recursion, so that depth must end somewhere.
bool nests_too_deep(const std::string& json);

/// The value that the text holds; discarded (Json::is_discarded) if it is no JSON or nests too
/// deep.
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

/// JSON has neither infinity nor NaN: null stands for what is not known, not bounded or not
/// determined.
inline nlohmann::ordered_json number_or_null(double value) {
  return std::isfinite(value) ? nlohmann::ordered_json(value) : nlohmann::ordered_json(nullptr);
}
inline nlohmann::ordered_json number_or_null(const std::optional<double>& value) {
  return value ? number_or_null(*value) : nlohmann::ordered_json(nullptr);
}

}  // namespace heft
#pragma GCC visibility pop
