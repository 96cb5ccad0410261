// A moments file without a file: its bytes, for who sends or stores them otherwise.
// Threads: any number of threads may call; what is const may be shared.
#pragma once

#include <string>

#include "heft/training/training_data.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// The bytes that write_moments_file writes. Errors as of it, but for those of the disk; `where`
/// stands for the path.
Result<std::string> moments_bytes(const TrainingData& data, const std::string& where,
                                  MomentsForm form = MomentsForm::whole);

/// What read_moments_file reads from a file of these bytes. Errors as of it, but for those of the
/// disk.
Result<TrainingData> moments_from_bytes(const std::string& bytes, const std::string& where);

}  // namespace heft
#pragma GCC visibility pop
