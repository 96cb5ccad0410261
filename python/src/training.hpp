// Training data in Python: shared and immutable.
#pragma once

#include <memory>

#include "heft/training/training_data.hpp"

namespace heft::python {

using TrainingPtr = std::shared_ptr<const TrainingData>;

}  // namespace heft::python
