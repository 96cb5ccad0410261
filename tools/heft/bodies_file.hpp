// Files of bodies, for the commands about charts and distances: {"bodies": [[..], ..]}, or a
// result.json, whose bodies are objects with their parameters. Files of `heft convert` name their
// convention and are not read as another one.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "heft/base/result.hpp"
#include "heft/charts/chart.hpp"
#include "heft/model/robot.hpp"

namespace heft::tools {

/// The numbers of every body, unconverted. Errors name file and body: invalid JSON, no list of
/// bodies, an invalid number, a file that names another convention.
Result<std::vector<std::vector<double>>> read_body_numbers(const std::string& path,
                                                           Convention convention);

/// The same for ten parameters per body in Heft's convention.
Result<std::vector<BodyParameters>> read_bodies(const std::string& path);

/// "FILE: body 3"
std::string place_of_body(const std::string& path, std::size_t index);

}  // namespace heft::tools
