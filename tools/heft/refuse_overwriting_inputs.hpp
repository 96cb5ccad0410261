// No command overwrites a file that it reads.
#pragma once

#include <string>
#include <vector>

#include "heft/base/result.hpp"

namespace heft::tools {

/// Error if one of the files to be written (or removed) is also an input. Ignores empty names and
/// files that do not exist.
Result<Done> refuse_overwriting_inputs(const std::vector<std::string>& outputs,
                                       const std::vector<std::string>& inputs);

/// The files that `heft identify` and `heft solve` write to a directory.
std::vector<std::string> result_files(const std::string& directory);

}  // namespace heft::tools
