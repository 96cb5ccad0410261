// No command writes over a file that it reads.
#pragma once

#include <string>
#include <vector>

#include "heft/base/result.hpp"

namespace heft::tools {

/// Error if one of the files to be written (or removed) is one that is read. Names that are empty
/// and files that do not exist are none.
Result<Done> refuse_overwriting_inputs(const std::vector<std::string>& outputs,
                                       const std::vector<std::string>& inputs);

/// The files that hold what `heft identify` or `heft solve` leaves in a directory.
std::vector<std::string> result_files(const std::string& directory);

}  // namespace heft::tools
