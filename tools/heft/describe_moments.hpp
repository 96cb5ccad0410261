// A description of the contents of a moments file.
#pragma once

#include <string>

#include "heft/training/training_data.hpp"

namespace heft::tools {

/// A few lines: format, robot, unknowns, rows, logs, doubts. `path` is where the data were read
/// from.
std::string describe(const TrainingData& data, const std::string& path);

}  // namespace heft::tools
