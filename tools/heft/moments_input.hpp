// Moments files as input of commands.
#pragma once

#include <string>
#include <vector>

#include "heft/training/training_data.hpp"

namespace heft::tools {

/// The sum of one or more files. Errors begin with the name of the file that causes them.
Result<TrainingData> read_and_add(const std::vector<std::string>& files);

}  // namespace heft::tools
