// Files of bodies, for the commands about charts and distances: {"bodies": [[..], ..]}, or a
// result.json, whose bodies are objects with their parameters. What `heft convert` wrote says its
// convention, and is not read as another.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "heft/base/result.hpp"
#include "heft/charts/chart.hpp"
#include "heft/model/robot.hpp"

namespace heft::tools {

/// The numbers of every body, as they stand there in a convention. Errors name file and body: what
/// is no JSON, no list of bodies, a number that is none, a file that is in another convention by
/// its own word.
Result<std::vector<std::vector<double>>> read_body_numbers(const std::string& path,
                                                           Convention convention);

/// The same of ten parameters a body, in Heft's convention.
Result<std::vector<BodyParameters>> read_bodies(const std::string& path);

/// "FILE: body 3"
std::string place_of_body(const std::string& path, std::size_t index);

}  // namespace heft::tools
