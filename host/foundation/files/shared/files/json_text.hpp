// Parses JSON from untrusted files, and writes numbers that JSON cannot represent.
#pragma once

#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#pragma GCC visibility push(default)
namespace heft {

/// Returns whether arrays and objects nest deeper than in any file of Heft. Values are copied,
/// compared and written recursively, so depth must be bounded.
bool nests_too_deep(const std::string& json);

/// Parses the text; returns a discarded value (Json::is_discarded) if it is not JSON or nests too
/// deeply.
template <class Json = nlohmann::json>
Json parse_json(const std::string& text) {
  if (nests_too_deep(text)) return Json(nlohmann::detail::value_t::discarded);
  return Json::parse(text, nullptr, false);
}

/// Returns the message of a library exception without its leading name in brackets.
inline std::string complaint_of(const nlohmann::json::exception& exception) {
  const std::string text = exception.what();
  return text.substr(text.find(']') + 1);
}

/// Returns the number or, because JSON has neither infinity nor NaN, null for unknown, unbounded
/// and undetermined values.
inline nlohmann::ordered_json number_or_null(double value) {
  return std::isfinite(value) ? nlohmann::ordered_json(value) : nlohmann::ordered_json(nullptr);
}
inline nlohmann::ordered_json number_or_null(const std::optional<double>& value) {
  return value ? number_or_null(*value) : nlohmann::ordered_json(nullptr);
}

}  // namespace heft
#pragma GCC visibility pop
