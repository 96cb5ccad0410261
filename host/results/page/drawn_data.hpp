// What a page has drawn, read back from the page: torques over time and bodies are in no other
// file.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace heft {

/// Traces (without contributions), skeleton and outlines of the page report.html beside a
/// result.json, if there is one that shows just this result; else null. `result` is that file's
/// JSON.
nlohmann::ordered_json drawn_beside(const std::string& result_path,
                                    const nlohmann::ordered_json& result);

}  // namespace heft
