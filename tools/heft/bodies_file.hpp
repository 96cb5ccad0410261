// Files of bodies, for the commands about charts and distances: {"bodies": [[..], ..]}, or a result.json, whose bodies are
// objects with their parameters.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "heft/base/result.hpp"
#include "heft/model/robot.hpp"

namespace heft::tools {

/// The numbers of every body, as they stand there. Errors name file and body: what is no JSON, no list of bodies, a number that
/// is none.
Result<std::vector<std::vector<double>>> read_body_numbers(const std::string& path);

/// The same of ten parameters a body, in Heft's convention.
Result<std::vector<BodyParameters>> read_bodies(const std::string& path);

/// "FILE: body 3"
std::string place_of_body(const std::string& path, std::size_t index);

/// A number, or null where it is none.
nlohmann::ordered_json number_or_null(double number);

}  // namespace heft::tools
