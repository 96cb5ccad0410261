// Reads the data of drawings back from a page: no other file has torques over time and bodies.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace heft {

/// Returns traces (without contributions), skeleton and outlines of the report.html next to a
/// result.json, if it shows exactly this result; otherwise null. `result` is that file's JSON.
nlohmann::ordered_json drawn_beside(const std::string& result_path,
                                    const nlohmann::ordered_json& result);

}  // namespace heft
