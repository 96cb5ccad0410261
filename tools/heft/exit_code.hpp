// The exit code of commands that read a stored result: that of the identification that wrote it.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "tools/heft/command.hpp"

namespace heft::tools {

/// By its verdict; 0 for least squares, which was requested by name, and for results without a
/// verdict.
inline int exit_code_of(const nlohmann::ordered_json& result) {
  const auto text = [](const nlohmann::ordered_json& json, const char* key) {
    const auto value = json.is_object() ? json.find(key) : json.end();
    return value != json.end() && value->is_string() ? value->get<std::string>() : std::string();
  };
  if (!result.is_object() || text(result, "status") == "least_squares" ||
      !result.contains("verdict"))
    return kSuccess;
  const std::string level = text(result["verdict"], "level");
  return level == "red" ? kNotCertified : level == "amber" ? kDoubtful : kSuccess;
}

}  // namespace heft::tools
